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
  has_full constant boolean := exists (select from holdfast.queues as q where q.detail = 'full');
  is_noted constant boolean := to_state <> 'completed' or has_full;
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
    returning
      j.*, e.output, left(e.reason, 2000) as reason,
      case when e.used is null then j.units else coalesce(j.units, 0) + e.used end as all_units,
      case
        when has_prices and (e.used is not null or j.in_flight_at_start is not null)
          then holdfast.cost_after(j, e.used, is_ok)
        else j.cost
      end as all_cost,
      -- Only for jobs that hold one: the row as a value costs 3 µs.
      case when j.in_flight_at_start is not null then holdfast.permit_of(j, e.used) end as permit,
      case when j.reserved is not null then holdfast.cost_of(j, e.used, is_ok) end as charge
  ), kept as (
    insert into holdfast.history (
      id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit, units,
      rules, ready_at, started_at, worker_id, token, pipeline, pipeline_version, stage, run_id, parent_id,
      order_key, order_seq, unique_scope, unique_key, timeout, deadline, max_failures, retry, labels, reason, payload,
      output, login_id, origin, claimed_actor, cost, units_before, cost_before, attempts_before, trace
    )
    select
      id, to_state, at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit,
      all_units, rules,
      rank_at + coalesce(lead, '0'), started_at, worker_id, token, pipeline, pipeline_version, stage, run_id, parent_id,
      order_key, order_seq, unique_scope, unique_key, timeout, deadline, max_failures, retry, labels, reason, payload,
      output, login_id, origin, claimed_actor, all_cost, units_before, cost_before, attempts_before, trace
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
    array_agg(all_units - coalesce(units_before, 0)) filter (where run_id is not null),
    array_agg(all_cost - coalesce(cost_before, 0)) filter (where run_id is not null),
    array_agg(id) filter (where generation > 1),
    array_agg(id) filter (where pipeline is not null),
    array_agg(permit) filter (where in_flight_at_start is not null),
    jsonb_agg(charge) filter (where reserved is not null)
  into ended, keyed, lined, joined, run_units, run_costs, replayed, staged, permits, costs
  from removed;
end
$$;
