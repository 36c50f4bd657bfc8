-- an end -> ready | waiting: starts one ended job again whose history row the caller has locked.
create or replace function holdfast.replay_job(past holdfast.history, from_stage text, reason text, actor text)
returns text
language plpgsql volatile
as $$
declare
  at      constant timestamptz := holdfast.now();
  ageing  double precision;
  lead    interval;
  seq     bigint;
  is_head boolean;
begin
  perform holdfast.refuse_reserved(past.queue);
  -- A job that was replaced would be done twice.
  if exists (select from holdfast.dead_letters as d where d.job_id = past.id and d.replaced_by is not null) then
    return 'replaced';
  end if;
  if past.unique_key is not null and not holdfast.retake_key(past) then
    return 'conflict';
  end if;
  if past.order_key is not null then
    -- If its end has not released the order key yet, it keeps its place at the front.
    select coalesce(past.order_seq, 0), true into seq, is_head
    from holdfast.order_keys as k where k.key = past.order_key and k.head = past.id for update;
    if not found then
      select o.seq, o.is_head into seq, is_head from holdfast.join_order(past.order_key, past.id) as o;
    end if;
  end if;
  -- The end is removed from history, so the audit trail keeps it, unless it has it already or is off.
  perform holdfast.record_event('end', past.id, past.run_id, past.queue,
    case when past.worker_id is not null then 'running' end, past.state,
    past.attempt, past.worker_id, null, past.reason,
    jsonb_build_object('ended_at', past.ended_at, 'generation', past.generation))
  where not exists (
      select from holdfast.events as e where e.job_id = past.id and e.cause = 'end' and e.at >= past.ended_at)
    and (select q.detail from holdfast.queues as q where q.name = past.queue) <> 'off';
  perform holdfast.keep_replayed_end(past);
  if from_stage is not null then
    past := holdfast.put_at_stage(past, from_stage);
  end if;
  ageing := (select q.ageing from holdfast.queues as q where q.name = past.queue);
  lead := make_interval(secs => 60 * past.priority / ageing);
  perform holdfast.record_event('replay', past.id, past.run_id, past.queue, past.state,
    case when is_head is false then 'waiting' else 'ready' end, past.attempt, null, actor,
    holdfast.sanitise_text(reason),
    case when past.stage is not null then jsonb_build_object('stage', past.stage) end);
  delete from holdfast.history as h where h.id = past.id and h.ended_at = past.ended_at;
  insert into holdfast.jobs (
    id, lane, priority, urgency, state, rank_at, waits_for, attempt, generation, visit, units, cost, units_before,
    cost_before, attempts_before, lead, queue, task, pipeline, pipeline_version, stage, run_id, parent_id, order_key,
    order_seq, unique_scope, unique_key, timeout, deadline, max_failures, retry, labels, login_id, origin,
    claimed_actor, trace, rules, payload
  )
  values (
    past.id, holdfast.own_lane(past.lane, past.task, past.run_id), past.priority,
    case when ageing is null then past.priority else 0 end,
    case when is_head is false then 'waiting' else 'ready' end,
    case when is_head is not false then at - coalesce(lead, '0') end,
    case when is_head is false then 'order' end,
    past.attempt, past.generation + 1, past.visit + 1, past.units, past.cost, past.units, past.cost, past.attempt, lead,
    past.queue, past.task, past.pipeline, past.pipeline_version, past.stage,
    past.run_id, past.parent_id, past.order_key, seq, past.unique_scope, past.unique_key, past.timeout,
    case when past.deadline > at then past.deadline end, past.max_failures, past.retry, past.labels,
    past.login_id, past.origin, past.claimed_actor, past.trace, past.rules, past.payload
  );
  if past.run_id is not null then
    insert into holdfast.run_deltas (run_id, completed, rejected, cancelled, dead)
    select past.run_id, -(past.state = 'completed')::integer, -(past.state = 'rejected')::integer,
      -(past.state = 'cancelled')::integer, -(past.state = 'dead')::integer;
  end if;
  update holdfast.dead_letters as d
  set replays = d.replays + 1, replayed_at = at, replayed_by = actor, outcome = null
  where d.job_id = past.id;
  perform holdfast.notify_ready(array[past.queue]);
  return 'replayed';
end
$$;
