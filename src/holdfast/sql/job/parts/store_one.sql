-- (nothing) -> ready | scheduled: the short way for one job that has nothing in common with others. Returns its id, or
-- null if it has a key, a run, a parent, a pipeline, a reserved name, a long or invalid payload, a new lane, rules or a
-- full audit trail: then store_jobs stores or refuses it.
create or replace function holdfast.store_one(of_task text, payload json, options jsonb)
returns uuid
language plpgsql volatile
as $$
declare
  at       constant timestamptz := holdfast.now();
  document constant text := payload::text;
  o        record;
  p        record;
  points   integer;
  may_run  interval;
  lead     interval;
  is_later boolean;
  is_right boolean;
  new_id   uuid;
begin
  if options is null
    or options ?| '{unique_key,order_key,run,parent,pipeline,stage,stagger}'
    or coalesce(length(of_task), 0) not between 1 and 200
    or holdfast.is_reserved(of_task)
    or coalesce(octet_length(document), 2001) > 2000
    or holdfast.payload_problem(document) is not null
    or options ->> 'keys_checked' is distinct from 'true' and holdfast.repeated_key(document) is not null
  then
    return null;
  end if;
  select * into o from holdfast.read_option(options, at);
  select f.*, holdfast.find_login() as login_id into p
  from holdfast.find_place(of_task, coalesce(o.queue, o.default_queue), o.endpoint, o."group", false) as f;
  if p.lane is null or p.is_full or p.ruled_by is not null or octet_length(document) > p.payload_limit then
    return null;
  end if;
  points := coalesce(o.priority, o.default_priority, p.priority);
  may_run := coalesce(o.timeout, p.timeout);
  lead := make_interval(secs => 60 * points / p.ageing);
  is_later := coalesce(o.due_at > at, false);
  is_right := holdfast.check_job(1, points, o.max_failures, 0, null, may_run, p.queue);
  new_id := (holdfast.new_ids(at, 1))[1];
  insert into holdfast.jobs (
    id, lane, priority, urgency, state, rank_at, due_at, lead, queue, task, timeout, deadline, max_failures, retry,
    estimate, labels, login_id, origin, claimed_actor, trace, payload
  )
  values (
    new_id, p.lane, points, case when p.ageing is null then points else 0 end,
    case when is_later then 'scheduled' else 'ready' end,
    case when not is_later then at + interval '1 microsecond' - coalesce(lead, '0') end,
    case when is_later then o.due_at end, lead, p.queue, of_task, may_run, o.deadline, o.max_failures, o.retry,
    o.estimate, o.labels, p.login_id, holdfast.stored_origin(o.origin), o.actor, o.trace, payload
  );
  if p.wakes and options ->> 'notify' is distinct from 'false' then
    perform holdfast.notify_ready(array[p.queue]);
  end if;
  return new_id;
end
$$;
