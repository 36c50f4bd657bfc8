-- Returns why a job is not running, first reason first, and until when if that is known.
-- blocks is false for a remark, such as the rules that matched at its enqueue. If no row blocks, a worker may claim the
-- job now. The checks are those of the claim itself.
create or replace function holdfast.explain(job uuid)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  at   constant timestamptz := holdfast.now();
  held holdfast.jobs;
begin
  select j.* into held from holdfast.jobs as j where j.id = job;
  if not found then
    return query
      select 'ended', holdfast.end_words(h),
        null::timestamptz, true
      from holdfast.history as h
      where h.id = job and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute';
    if not found then
      perform holdfast.refuse('HF004', format('There is no job %s.', job),
        'Check the id; ended jobs are deleted after the retention time of their queue.');
    end if;
    return query
      select r.*
      from holdfast.history as h
      cross join lateral holdfast.rule_remark(h.rules) as r
      where h.id = job and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute';
    return;
  end if;
  if held.state = 'running' then
    return query
      select 'running',
        format('Worker %s on %s has it since %s, attempt %s%s%s.', held.worker_id, coalesce(w.host, 'an unknown host'),
          holdfast.time_words(held.started_at), held.attempt,
          case when held.cancel_asked_at is not null then '; it was asked to cancel' end,
        holdfast.heartbeat_words(w, held.queue, at)), held.stop_at, true
      from (select) as one
      left join holdfast.workers as w on w.id = held.worker_id;
    return query select r.* from holdfast.rule_remark(held.rules) as r;
    return;
  end if;
  if held.deadline <= at then
    return query
      select 'deadline_passed',
        format('Its deadline was %s; the next sweep dead-letters it.', holdfast.time_words(held.deadline)),
        null::timestamptz, true;
  end if;
  if held.state = 'waiting' and held.waits_for = 'order' then
    return query
      select 'order', format('Order key %s is held by job %s%s.', held.order_key, k.head,
        case
          when h.id is null then ', which has ended: the next sweep moves the line up'
          else ', which is ' || h.state
        end), null::timestamptz, true
      from holdfast.order_keys as k
      left join holdfast.jobs as h on h.id = k.head
      where k.key = held.order_key;
  elsif held.state = 'waiting' and held.waits_for <> 'budget' then
    return query select b.* from holdfast.wait_blockers(held) as b;
    return query select r.* from holdfast.rule_remark(held.rules) as r;
    return;
  end if;
  if held.due_at > at then
    return query
      select 'scheduled',
        case
          when held.failures + held.losses + held.deferrals > 0 then 'It waits for its next try.'
          else 'It is not due yet.'
        end, held.due_at, true;
  end if;
  return query select n.* from holdfast.uncounted(held) as n;
  return query select r.* from holdfast.slot_remark(held) as r;
  return query select b.* from holdfast.budget_blocker(held, at) as b;
  return query select b.* from holdfast.lane_blockers(held.lane, held.task) as b;
  if held.state = 'ready' or held.state = 'scheduled' and held.due_at <= at then
    return query
      select 'behind',
        case when n > 1 then format('%s jobs stand before it and take all that may start now.', n)
          else coalesce('Job ' || f.id, 'One job') || ' stands before it and takes all that may start now.' end,
        null::timestamptz, true
      from holdfast.starts_before(held, at) as n
      left join lateral holdfast.first_before(held, at) as f (id) on n = 1
      where n is not null;
  end if;
  return query select m.* from holdfast.move_remark(job) as m;
  return query select r.* from holdfast.rule_remark(held.rules) as r;
end
$$;
