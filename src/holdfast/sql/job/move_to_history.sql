-- any live state -> an end: the one statement that ends jobs. With tokens only running jobs that carry them pass.
create or replace function holdfast.move_to_history(
  ids uuid[], tokens uuid[], to_state text, outputs json[], reasons text[], used double precision[], at timestamptz,
  out ended uuid[], out keyed uuid[], out lined text[], out joined uuid[], out replayed uuid[], out staged uuid[], out permits double precision[], out costs jsonb
)
language plpgsql volatile
-- The only join is with the call's own arrays; a hash join keeps its cost linear whatever the statistics say.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_nestloop = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  with removed as (
    delete from holdfast.jobs as j
    using rows from (unnest(ids), unnest(tokens), unnest(outputs), unnest(reasons), unnest(used))
      as e (end_id, end_token, output, reason, used)
    where j.id = any (ids)
      and j.id = e.end_id
      and (tokens is null or j.token = e.end_token)
    returning j.*, e.output, e.reason, e.used
  ), kept as (
    insert into holdfast.history (
      id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit, units,
      ready_at, started_at, worker_id, token, pipeline, pipeline_version, stage, run_id, parent_id, order_key, order_seq, unique_scope, unique_key,
      timeout, deadline, max_failures, retry, labels, reason, payload, output
    )
    select
      id, to_state, at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit,
      case when used is null then units else coalesce(units, 0) + used end,
      rank_at + coalesce(lead, '0'), started_at, worker_id, token, pipeline, pipeline_version, stage, run_id, parent_id, order_key, order_seq,
      unique_scope, unique_key, timeout, deadline, max_failures, retry, labels, left(reason, 2000), payload, output
    from removed
  )
  select
    array_agg(id),
    array_agg(id) filter (where unique_key is not null),
    array_agg(order_key) filter (where order_key is not null),
    array_agg(run_id) filter (where run_id is not null),
    array_agg(id) filter (where generation > 1),
    array_agg(id) filter (where pipeline is not null),
    array_agg(array[coalesce(permit_lane, lane), extract(epoch from started_at), in_flight_at_start, is_probe::integer, coalesce(reserved_units, estimate), used]::double precision[])
      filter (where in_flight_at_start is not null),
    jsonb_agg(jsonb_build_object('run', run_id, 'lane', coalesce(permit_lane, lane), 'units', coalesce(used,
      -- A call that went well and does not say used what it reserved. Where there was none, nothing is assumed.
      case when to_state in ('completed', 'rejected') and in_flight_at_start is not null then coalesce(reserved_units, estimate) end)))
      filter (where reserved is not null)
  into ended, keyed, lined, joined, replayed, staged, permits, costs
  from removed;
end
$$;
comment on function holdfast.move_to_history(uuid[], uuid[], text, json[], text[], double precision[], timestamptz)
  is 'Moves jobs to history; returns those that went, and which of them have unique keys, order keys, runs, earlier lives, pipelines and permits.';
