-- (nothing) -> asked: a worker whose time box ends requests its successor, if there is work for one.
-- info: horizon (jobs due within this time count as work, 1 minute), delay, stagger, claim_size, checkpoint.
-- Send body to the service that starts workers. continuation is null if no successor is needed, or none yet:
-- lost_continuations returns it when its work is due. A repeated call returns the same continuation.
create or replace function holdfast.request_continuation(worker uuid, info jsonb default '{}')
returns table (continuation uuid, remaining bigint, body jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  me    holdfast.workers;
  row   holdfast.continuations;
  at    timestamptz;
  later timestamptz;
  size  bigint;
  other record;
begin
  perform holdfast.check_object('info', info);
  select w.* into me from holdfast.workers as w where w.id = worker;
  remaining := holdfast.work_left(me.queues, me.run_id,
    coalesce(holdfast.read_interval(info -> 'horizon'), '1 minute'));
  -- Called twice: the first call prepares the plans, which takes longer than all the work under the lock.
  other := holdfast.others_at_work(me);
  -- Serialised: of two equal workers that end at once, each would count the other as its successor.
  perform from holdfast.locks as k where k.name = 'request_continuation' for update;
  select w.* into me from holdfast.workers as w where w.id = worker for update;
  at := holdfast.now();
  select c.* into row from holdfast.continuations as c where c.worker_id = worker;
  if me.id is null or me.rescued_at is not null or row.id is not null or not me.continues then
    -- Gone, fenced, or asked before: the answer of that call was lost, or lost_continuations has asked for it.
    if row.taken_at is null and row.closed_at is null then
      continuation := row.id;
      body := holdfast.continuation_body(row);
    end if;
    return next;
    return;
  end if;
  size := greatest(1, coalesce((info ->> 'claim_size')::bigint, me.claim_size, 1));
  other := holdfast.others_at_work(me);
  later := case when remaining = 0 then holdfast.next_start(me.queues, me.run_id) end;
  if me.drain_asked
    or (remaining = 0 and (later is null or holdfast.is_awaited(me.queues, me."group", me.run_id, later)))
    or other.asked + other.living >= ceil(greatest(remaining, 1) / size::numeric) then
    update holdfast.workers as w set continues = false where w.id = worker;
    return next;
    return;
  end if;
  insert into holdfast.continuations as c (
    id, cause, worker_id, run_id, "group", queues, link, claim_size, remaining, checkpoint, asked_at, due_at, sent_at,
    sent
  )
  values (
    holdfast.new_id(at), 'time_box', worker, me.run_id, me."group", me.queues, coalesce(me.link, 0) + 1, size,
    remaining, info -> 'checkpoint', at,
    coalesce(later, at + coalesce(holdfast.read_interval(info -> 'delay'), '1 second')
      + other.asked * coalesce(holdfast.read_interval(info -> 'stagger'), '100 milliseconds')),
    -- Work beyond the horizon is not requested yet; lost_continuations returns it when it is due.
    case when later is null then at end, (later is null)::integer
  )
  returning c.* into row;
  if later is null then
    continuation := row.id;
    body := holdfast.continuation_body(row);
  end if;
  return next;
end
$$;
