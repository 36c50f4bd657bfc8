-- Whether a run as folded has nothing left to wait for. A dead child that its parent waits for may be replayed.
create or replace function holdfast.run_is_done(run holdfast.runs)
returns boolean
language sql immutable
as $$
  select run.sealed_at is not null
    and run.total <= run.completed + run.rejected + run.cancelled + case when run.on_failure = 'wait' then 0 else run.dead end
$$;
comment on function holdfast.run_is_done(holdfast.runs) is 'Whether a run as folded has nothing left to wait for.';
