-- running | waiting -> ready | scheduled: moves locked jobs to stages; the only statement that does.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.enter_stages(entries holdfast.stage_entry[], from_state text)
returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  at    constant timestamptz := holdfast.now();
  ids   constant uuid[] := array(select n.job_id from unnest(entries) as n);
  has_prices constant boolean := exists (select from holdfast.endpoints as e where e.price > 0);
  woken text[];
begin
  with policy as materialized (
    select q.name, q.ageing, q.detail, q.notify
    from holdfast.queues as q
    where q.name = any (array(select n.queue from unnest(entries) as n))
  ), target as materialized (
    select
      n.*, coalesce(n.delay > '0', false) as is_later, p.ageing is not null as ages,
      make_interval(secs => 60 * n.priority / p.ageing) as lead, coalesce(p.notify, true) as wakes
    from unnest(entries) as n
    left join policy as p on p.name = n.queue
  ), noted as (
    insert into holdfast.events (at, cause, job_id, run_id, queue, from_state, to_state, attempt, worker_id)
    select
      at, 'advance', j.id, j.run_id, j.queue, from_state, case when o.is_later then 'scheduled' else 'ready' end,
      j.attempt, j.worker_id
    from holdfast.jobs as j
    join target as o on o.job_id = j.id
    where j.id = any (ids)
      and (select q.detail from holdfast.queues as q where q.name = j.queue) = 'full'
  ), moved as (
    update holdfast.jobs as j
    set state = case when o.is_later then 'scheduled' else 'ready' end,
        due_at = case when o.is_later then at + o.delay end,
        rank_at = case when not o.is_later then at - coalesce(o.lead, '0') end,
        waits_for = null,
        priority = o.priority,
        urgency = case when o.ages then 0 else o.priority end,
        lead = o.lead,
        stage = o.stage,
        task = o.task,
        queue = o.queue,
        lane = o.lane,
        timeout = o.timeout,
        visit = o.visit,
        units = coalesce(coalesce(j.units, 0) + o.units, j.units),
        units_before = coalesce(coalesce(j.units, 0) + o.units, j.units),
        cost = case when has_prices then holdfast.cost_after(j, o.units, true) else j.cost end,
        cost_before = case when has_prices then holdfast.cost_after(j, o.units, true) else j.cost end,
        attempts_before = j.attempt,
        failures = 0,
        losses = 0,
        deferrals = 0,
        releases = 0,
        deferred_since = null,
        worker_id = null,
        token = null,
        started_at = null,
        stop_at = null,
        in_flight_at_start = null,
        is_probe = null,
        permit_lane = null,
        reserved = null,
        reserved_units = null
    from target as o
    where j.id = any (ids)
      and j.id = o.job_id
  )
  select array_agg(distinct o.queue) into woken from target as o where o.wakes and not o.is_later;
  if woken is not null then
    perform holdfast.notify_ready(woken);
  end if;
end
$$;
