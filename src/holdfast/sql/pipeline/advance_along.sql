-- running -> ready: the set-based way for jobs that go to a stage of their pipeline. It leaves to the caller what ends there, and what is odd.
create or replace function holdfast.advance_along(
  ids uuid[], tokens uuid[], outputs json[], details jsonb[],
  out moved uuid[], out last_ids uuid[], out last_tokens uuid[], out last_outputs json[], out last_details jsonb[],
  out woken text[], out permits double precision[]
)
language plpgsql volatile
-- Joins only with the call's own arrays and with the stages of the versions at hand, by hash: linear whatever the statistics say.
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_nestloop = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  at constant timestamptz := holdfast.now();
begin
  with held as materialized (
    select
      j.id, j.token, j.pipeline, j.pipeline_version as version, j.stage, j.generation, j.visit, j.attempt, j.worker_id, j.started_at,
      j.priority, coalesce(j.permit_lane, j.lane) as lane, j.in_flight_at_start, j.is_probe, coalesce(j.reserved_units, j.estimate) as expected, j.run_id, j.queue, e.output, e.detail,
      holdfast.read_number(e.detail -> 'units') as used
    from holdfast.jobs as j
    join rows from (unnest(ids), unnest(tokens), unnest(outputs), unnest(details)) as e (end_id, end_token, output, detail)
      on e.end_id = j.id and e.end_token = j.token
    where j.id = any (ids)
      and j.pipeline is not null
      and j.reserved is null
      and case when jsonb_typeof(e.detail) = 'object' then e.detail - 'stage' - 'units' = '{}' else e.detail is null end
  ), route as materialized (
    select
      s.*, q.ageing, q.detail as trail, coalesce(q.notify, true) as wakes, coalesce(s.timeout, t.timeout, q.timeout) as may_run, t.has_lanes
    from holdfast.stages as s
    left join lateral (select * from holdfast.queues as o where o.name = s.queue offset 0) as q on true
    left join lateral (select o.timeout, o.has_lanes from holdfast.tasks as o where o.name = s.task offset 0) as t on true
    where s.pipeline = any (array(select distinct h.pipeline from held as h)) and s.version = any (array(select distinct h.version from held as h))
  ), target as materialized (
    select
      h.*, c.trail, n.stage as to_stage, n.task as to_task, n.queue as to_queue, n.lane as to_lane, n.may_run, n.wakes,
      case when n.ageing is null then h.priority else 0 end as urgency,
      make_interval(secs => 60 * h.priority / n.ageing) as lead,
      h.detail ->> 'stage' is null and c.next is null as is_last
    from held as h
    join route as c on c.pipeline = h.pipeline and c.version = h.version and c.stage = h.stage
    -- A job with as many visits as that may have entered the stage too often: counted elsewhere, as lanes of a task's own are found.
    left join route as n
      on n.pipeline = h.pipeline and n.version = h.version and n.stage = coalesce(h.detail ->> 'stage', c.next) and h.visit < n.max_visits and n.has_lanes is not true
  ), advanced as (
    update holdfast.jobs as j
    set state = 'ready', due_at = null, rank_at = at - coalesce(o.lead, '0'), urgency = o.urgency, lead = o.lead,
        stage = o.to_stage, task = o.to_task, queue = o.to_queue, lane = o.to_lane, timeout = o.may_run, visit = o.visit + 1,
        units = coalesce(coalesce(j.units, 0) + o.used, j.units), failures = 0, losses = 0, deferrals = 0, releases = 0, deferred_since = null,
        worker_id = null, token = null, started_at = null, stop_at = null, in_flight_at_start = null, is_probe = null, permit_lane = null,
        reserved_units = null
    from target as o
    -- What was read without a lock holds as long as the token does; a cancel may have come since.
    where j.id = any (ids) and j.id = o.id and j.token = o.token and j.cancel_asked_at is null and o.to_stage is not null
    returning o.*
  ), kept as (
    insert into holdfast.stage_outputs (job_id, generation, visit, stage, output, attempt, worker_id, started_at, ended_at)
    select id, generation, visit, stage, output, attempt, worker_id, started_at, at from advanced
  ), cleared as (
    delete from holdfast.checkpoints as c where c.job_id = any (array(select o.id from advanced as o))
  ), noted as (
    insert into holdfast.events (at, cause, job_id, run_id, queue, from_state, to_state, attempt, worker_id)
    select at, 'advance', id, run_id, queue, 'running', 'ready', attempt, worker_id from advanced where trail = 'full'
  ), told as (
    select true as moves, a.* from advanced as a
    union all select false, o.* from target as o where o.is_last
  )
  select
    array_agg(o.id) filter (where o.moves), array_agg(o.id) filter (where not o.moves), array_agg(o.token) filter (where not o.moves),
    array_agg(o.output) filter (where not o.moves), array_agg(o.detail) filter (where not o.moves), array_agg(distinct o.to_queue) filter (where o.wakes),
    array_agg(array[o.lane, extract(epoch from o.started_at), o.in_flight_at_start, o.is_probe::integer, o.expected, o.used]::double precision[])
      filter (where o.in_flight_at_start is not null and o.moves)
  into moved, last_ids, last_tokens, last_outputs, last_details, woken, permits
  from told as o;
end
$$;
comment on function holdfast.advance_along(uuid[], uuid[], json[], jsonb[]) is 'Moves running jobs to the next stage of their pipelines, in one statement; the caller ends those at the last one.';
