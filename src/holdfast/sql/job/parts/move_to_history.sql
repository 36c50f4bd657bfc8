-- any live state -> an end: the statement that ends jobs. With tokens, only running jobs that carry them end.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.move_to_history(
  ids uuid[], tokens uuid[], to_state text, outputs json[], reasons text[], used double precision[], at timestamptz,
  out ended uuid[], out keyed uuid[], out lined text[], out joined uuid[], out run_units double precision[],
  out run_costs double precision[], out replayed uuid[], out staged uuid[], out permits holdfast.permit[],
  out costs jsonb
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  -- At detail basic the history row of a completed job serves as its event.
  trail    constant text[] := case to_state when 'completed' then array['full'] else array['basic', 'full'] end;
  is_noted constant boolean := to_state <> 'completed' or exists (select from holdfast.queues where detail = 'full');
  is_ok    constant boolean := to_state in ('completed', 'rejected');
  has_prices constant boolean := exists (select from holdfast.endpoints as e where e.price > 0);
begin
  -- The only join is with the call's own arrays; a hash join keeps its cost linear when statistics are stale.
  with removed as (
    delete from holdfast.jobs as j
    -- By id, as everywhere: the deletion locks the rows. A scan of the primary key has the same order.
    using (
      select *
      from rows from (unnest(ids), unnest(tokens), unnest(outputs), unnest(reasons), unnest(used))
        as u (end_id, end_token, output, reason, used)
      order by end_id
    ) as e
    where j.id = any (ids)
      and j.id = e.end_id
      and (tokens is null or j.token = e.end_token)
    -- Not j.*: each row is packed and unpacked again, column by column. First the columns that the last select reads,
    -- because unpacking stops at the last one that is needed.
    returning
      j.id, j.generation, j.pipeline, j.run_id, j.order_key, j.unique_key, j.units_before, j.cost_before,
      case when e.used is null then j.units else coalesce(j.units, 0) + e.used end as units,
      case when has_prices and (e.used is not null or j.in_flight_at_start is not null)
        then holdfast.cost_after(j, e.used, is_ok) else j.cost end as cost,
      -- Only for jobs that hold one: the row as a value costs 3 µs.
      case when j.in_flight_at_start is not null then holdfast.permit_of(j, e.used) end as permit,
      case when j.reserved is not null then holdfast.cost_of(j, e.used, is_ok) end as charge,
      j.state, j.queue, j.task, j.lane, j.priority, j.attempt, j.failures, j.losses, j.deferrals, j.visit, j.started_at,
      j.rank_at + coalesce(j.lead, '0') as ready_at, j.worker_id, j.token, j.pipeline_version, j.stage, j.parent_id,
      j.order_seq, j.unique_scope, j.timeout, j.deadline, j.max_failures, j.retry, j.labels, j.login_id, j.origin,
      j.claimed_actor, j.trace, j.attempts_before, j.rules, left(e.reason, 2000) as reason, j.payload, e.output
  ), kept as (
    insert into holdfast.history (
      id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit, units,
      rules, ready_at, started_at, worker_id, token, pipeline, pipeline_version, stage, run_id, parent_id,
      order_key, order_seq, unique_scope, unique_key, timeout, deadline, max_failures, retry, labels, reason, payload,
      output, login_id, origin, claimed_actor, cost, units_before, cost_before, attempts_before, trace
    )
    select
      id, to_state, at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit,
      units, rules, ready_at, started_at, worker_id, token, pipeline, pipeline_version, stage, run_id, parent_id,
      order_key, order_seq, unique_scope, unique_key, timeout, deadline, max_failures, retry, labels, reason, payload,
      output, login_id, origin, claimed_actor, cost, units_before, cost_before, attempts_before, trace
    from removed
  ), noted as (
    insert into holdfast.events (at, cause, job_id, run_id, queue, from_state, to_state, attempt, worker_id, reason)
    select at, 'end', id, run_id, queue, state, to_state, attempt, worker_id, reason
    from removed as r
    where is_noted
      and (select q.detail from holdfast.queues as q where q.name = r.queue) = any (trail)
  )
  select
    array_agg(id),
    array_agg(id) filter (where unique_key is not null),
    array_agg(order_key) filter (where order_key is not null),
    array_agg(run_id) filter (where run_id is not null),
    array_agg(units - coalesce(units_before, 0)) filter (where run_id is not null),
    array_agg(cost - coalesce(cost_before, 0)) filter (where run_id is not null),
    array_agg(id) filter (where generation > 1),
    array_agg(id) filter (where pipeline is not null),
    array_agg(permit) filter (where (permit).lane is not null),
    jsonb_agg(charge) filter (where charge is not null)
  into ended, keyed, lined, joined, run_units, run_costs, replayed, staged, permits, costs
  from removed;
end
$$;
