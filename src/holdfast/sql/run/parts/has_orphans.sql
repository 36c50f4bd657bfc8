-- Whether the end of a run's parent has left children to cancel: cancel_level marks that with an empty delta.
create or replace function holdfast.has_orphans(run holdfast.runs)
returns boolean
language sql stable
as $$
  select run.parent_id is not null
    and run.cancelled_at is not null
    and run.ended_at is null
    and not exists (select from holdfast.jobs as j where j.id = run.parent_id)
    and exists (
      select from holdfast.run_deltas as d
      where d.run_id = run.id
        and (d.total, d.completed, d.rejected, d.cancelled, d.dead) = (0, 0, 0, 0, 0)
        and d.units is null
        and d.cost is null
    )
$$;
