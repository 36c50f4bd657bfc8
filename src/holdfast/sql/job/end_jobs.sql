-- any live state -> an end: the one door to history. With tokens only running jobs that carry them pass.
create or replace function holdfast.end_jobs(
  ids uuid[], tokens uuid[], to_state text, outputs json[], reasons text[], units double precision[] default null
)
returns uuid[]
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  at     constant timestamptz := holdfast.now();
  ended  uuid[];
  keyed  uuid[];
  lined  text[];
  joined uuid[];
begin
  if exists (select from holdfast.queues as q where q.detail = 'full') then
    perform holdfast.record_ends(ids, tokens, to_state, reasons);
  end if;
  with removed as (
    delete from holdfast.jobs as j
    where j.id = any (ids)
      and (tokens is null or j.token = tokens[array_position(ids, j.id)])
    returning j.*, array_position(ids, j.id) as i
  ), kept as (
    insert into holdfast.history (
      id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit, units,
      ready_at, started_at, worker_id, token, pipeline, stage, run_id, parent_id, order_key, unique_scope, unique_key,
      timeout, deadline, max_failures, retry, labels, reason, payload, output
    )
    select
      id, to_state, at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit,
      case when units[i] is null then r.units else coalesce(r.units, 0) + units[i] end,
      rank_at + coalesce(lead, '0'), started_at, worker_id, token, pipeline, stage, run_id, parent_id, order_key,
      unique_scope, unique_key, timeout, deadline, max_failures, retry, labels, left(reasons[i], 2000), payload, outputs[i]
    from removed as r
    returning id, run_id, order_key, unique_key
  )
  select
    array_agg(id),
    array_agg(id) filter (where unique_key is not null),
    array_agg(distinct order_key) filter (where order_key is not null),
    array_agg(run_id) filter (where run_id is not null)
  into ended, keyed, lined, joined
  from kept;

  if joined is not null then
    perform holdfast.count_ends(joined, to_state);
  end if;
  if keyed is not null then
    perform holdfast.free_keys(keyed, at);
  end if;
  if lined is not null then
    perform holdfast.move_up(lined, at);
  end if;
  return coalesce(ended, '{}');
end
$$;
comment on function holdfast.end_jobs(uuid[], uuid[], text, json[], text[], double precision[])
  is 'Ends jobs: moves them to history, frees their keys, counts them in their runs. Returns those that ended; with tokens, the others were lost.';
