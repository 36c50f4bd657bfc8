-- Jobs that should have moved by now if workers do the maintenance tasks: of lost workers, overdue, or waiting for
-- ended children.
create or replace function holdfast.stuck_jobs(settled interval, max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  (
    select 'stuck_running', j.id,
      format('its worker %s was last heard from at %s', j.worker_id, coalesce(w.renewed_at::text, 'no time'))
    from holdfast.jobs as j
    left join holdfast.workers as w on w.id = j.worker_id
    where j.state = 'running'
      and coalesce(case when w.state = 'stopped' then w.stopped_at else w.lease_until end, j.started_at)
        < holdfast.now() - settled
      and holdfast.may_rescue(j.queue)
    limit max
  )
  union all
  (
    select 'stuck_scheduled', j.id, format('due at %s', j.due_at)
    from holdfast.jobs as j
    where j.state = 'scheduled'
      and j.due_at < holdfast.now() - settled
    limit max
  )
  union all
  (
    select 'stuck_waiting', r.parent_id, format('its children of run %s were done at %s', r.id, r.ended_at)
    from holdfast.runs as r
    join holdfast.jobs as j on j.id = r.parent_id
    join holdfast.waits as w on w.job_id = j.id
      and w.run_id = r.id
      and w.generation = j.generation
      and w.visit = j.visit
    where j.waits_for = 'children'
      and r.parent_id is not null
      and r.ended_at < holdfast.now() - settled
      and not exists (select from holdfast.runs as o where o.parent_id = j.id and o.ended_at is null)
    limit max
  )
$$;
