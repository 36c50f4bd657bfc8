-- Whether all jobs of a run have ended. With on_failure wait a dead child does not count: it may be replayed.
create or replace function holdfast.run_is_done(run holdfast.runs)
returns boolean
language sql immutable
as $$
  select run.sealed_at is not null
    and run.total <= run.completed + run.rejected + run.cancelled
      + case when run.on_failure = 'wait' then 0 else run.dead end
$$;
