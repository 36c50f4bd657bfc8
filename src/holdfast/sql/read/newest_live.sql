-- The 10,000 newest live jobs between two ids, and which of them match a filter.
-- Plain SQL, which is evaluated lazily: a caller's loop reads no more than it needs. Jobs with a unique key, of a run,
-- of a worker and of the reserved queue are found by indexes of their own.
create or replace function holdfast.newest_live(filter jsonb, lowest uuid, highest uuid)
returns table (id uuid, ended_at timestamptz, fits boolean, payload json)
language sql stable
as $$
  select
    j.id, null::timestamptz,
    holdfast.job_matches(filter, j.state, j.queue, j.task, j.run_id, j.labels, j.attempt, j.failures, j.priority,
      j.worker_id, j.order_key, j.unique_scope, j.unique_key, j.login_id, j.origin, j.claimed_actor)
      and holdfast.own_row_fits(filter, j.payload, j.attempt + j.failures + j.losses + j.deferrals),
    case when filter ? 'payload' then j.payload end
  from (
    (
      select j.*
      from holdfast.jobs as j
      where filter ? 'unique_key'
        and coalesce(filter ->> 'state', 'ready') in ('waiting', 'scheduled', 'ready', 'running')
        and j.unique_key = filter ->> 'unique_key' and j.id > lowest and j.id < highest
      order by j.id desc
      limit 10000
    )
    union all
    (
      select j.*
      from holdfast.jobs as j
      where filter ? 'run' and not filter ? 'unique_key'
        and coalesce(filter ->> 'state', 'ready') in ('waiting', 'scheduled', 'ready', 'running')
        and j.run_id = (filter ->> 'run')::uuid and j.id > lowest and j.id < highest
      order by j.id desc
      limit 10000
    )
    union all
    (
      select j.*
      from (
        -- Sorted afterwards: a worker runs few jobs, and without the offset all live ones may be read in order of id.
        select * from holdfast.jobs where state = 'running' and worker_id = (filter ->> 'worker')::uuid offset 0
      ) as j
      where filter ? 'worker' and not filter ?| '{unique_key,run}'
        and coalesce(filter ->> 'state', 'ready') in ('waiting', 'scheduled', 'ready', 'running')
        and j.id > lowest and j.id < highest
      order by j.id desc
      limit 10000
    )
    union all
    (
      select j.*
      from holdfast.jobs as j
      where filter ->> 'queue' = 'holdfast' and not filter ?| '{unique_key,run,worker}'
        and coalesce(filter ->> 'state', 'ready') in ('waiting', 'scheduled', 'ready', 'running')
        and j.queue = 'holdfast' and j.id > lowest and j.id < highest
      order by j.id desc
      limit 10000
    )
    union all
    (
      select j.*
      from holdfast.jobs as j
      where filter ->> 'queue' is distinct from 'holdfast' and not filter ?| '{unique_key,run,worker}'
        and coalesce(filter ->> 'state', 'ready') in ('waiting', 'scheduled', 'ready', 'running')
        and j.id > lowest and j.id < highest
      order by j.id desc
      limit 10000
    )
  ) as j
$$;
