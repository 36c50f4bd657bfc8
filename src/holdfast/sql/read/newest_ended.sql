-- The 10,000 newest ended jobs between two ids, and which of them match a filter.
-- Jobs with a unique key, of a run and of the reserved queue, and those that did not complete, have their own indexes.
create or replace function holdfast.newest_ended(filter jsonb, lowest uuid, highest uuid)
returns table (id uuid, ended_at timestamptz, fits boolean, payload json)
language sql stable
as $$
  select
    h.id, h.ended_at,
    holdfast.job_matches(filter, h.state, h.queue, h.task, h.run_id, h.labels, h.attempt, h.failures, h.priority,
      h.worker_id, h.order_key, h.unique_scope, h.unique_key, h.login_id, h.origin, h.claimed_actor)
      and holdfast.own_row_fits(filter, h.payload, h.attempt + h.failures + h.losses + h.deferrals),
    case when filter ? 'payload' then h.payload end
  from (
    (
      select h.*
      from holdfast.history as h
      where filter ? 'unique_key'
        and coalesce(filter ->> 'state', 'dead') in ('completed', 'rejected', 'cancelled', 'dead')
        and h.unique_key = filter ->> 'unique_key' and h.id > lowest and h.id < highest
      order by h.id desc
      limit 10000
    )
    union all
    (
      select h.*
      from holdfast.history as h
      where filter ? 'run' and not filter ? 'unique_key'
        and coalesce(filter ->> 'state', 'dead') in ('completed', 'rejected', 'cancelled', 'dead')
        and h.run_id = (filter ->> 'run')::uuid and h.id > lowest and h.id < highest
      order by h.id desc
      limit 10000
    )
    union all
    (
      select h.*
      from holdfast.history as h
      where filter ->> 'queue' = 'holdfast' and not filter ?| '{unique_key,run}'
        and coalesce(filter ->> 'state', 'dead') in ('completed', 'rejected', 'cancelled', 'dead')
        and h.queue = 'holdfast' and h.id > lowest and h.id < highest
      order by h.id desc
      limit 10000
    )
    union all
    (
      select h.*
      from holdfast.history as h
      where filter ->> 'queue' is distinct from 'holdfast' and not filter ?| '{unique_key,run}'
        and filter ->> 'state' in ('rejected', 'cancelled', 'dead')
        and h.state <> 'completed' and h.state = filter ->> 'state' and h.id > lowest and h.id < highest
      order by h.id desc
      limit 10000
    )
    union all
    (
      select h.*
      from holdfast.history as h
      where filter ->> 'queue' is distinct from 'holdfast' and not filter ?| '{unique_key,run}'
        and coalesce(filter ->> 'state', 'completed') = 'completed'
        and h.id > lowest and h.id < highest
      order by h.id desc
      limit 10000
    )
  ) as h
$$;
