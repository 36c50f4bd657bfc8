-- Inserts jobs of one task with the same options and without keys: what they share is looked up once.
create or replace function holdfast.insert_alike(ids uuid[], of_task text, payloads json[], options jsonb)
returns void
language plpgsql volatile
as $$
declare
  at       constant timestamptz := holdfast.now();
  largest  integer := octet_length(payloads[1]::text);
  longest  bigint := 1;
  is_right boolean;
  o        record;
  t        holdfast.tasks;
  q        holdfast.queues;
  to_queue text;
  to_lane  integer;
  points   integer;
  may_run  interval;
  lead     interval;
  is_later boolean;
  version  integer;
begin
  if cardinality(payloads) > 1 then
    select i, octet_length(p::text) into longest, largest from unnest(payloads) with ordinality as u (p, i)
    order by octet_length(p::text) desc, i limit 1;
  end if;
  select * into o from holdfast.read_option(options, at);
  select * into t from holdfast.tasks as k where k.name = of_task;
  to_queue := coalesce(o.queue, t.queue, 'default');
  select * into q from holdfast.queues as k where k.name = to_queue;
  points := coalesce(o.priority, t.priority, q.priority, 50);
  may_run := coalesce(o.timeout, t.timeout, q.timeout);
  lead := make_interval(secs => 60 * points / q.ageing);
  version := case when o.pipeline is not null then holdfast.newest_version(o.pipeline) end;
  is_later := coalesce(o.due_at > at, false);
  is_right := holdfast.check_job(longest, points, o.max_failures, largest, q.payload_limit, may_run, to_queue);
  to_lane := holdfast.find_lane(to_queue, coalesce(o.endpoint, t.endpoint, q.endpoint), o."group",
    case when t.has_lanes then of_task else '' end, o.run is not null and holdfast.is_capped(o.run));
  insert into holdfast.jobs (
    id, lane, priority, urgency, state, rank_at, due_at, lead, queue, task, pipeline, pipeline_version, stage, run_id, parent_id,
    timeout, deadline, max_failures, retry, estimate, labels, payload
  )
  select
    id, to_lane, points, case when q.ageing is null then points else 0 end, case when is_later then 'scheduled' else 'ready' end,
    -- A microsecond apart, so that jobs of one call keep their order.
    case when not is_later then at + i * interval '1 microsecond' - coalesce(lead, '0') end,
    case when is_later then o.due_at end, lead, to_queue, of_task, o.pipeline, version, o.stage, o.run, o.parent,
    may_run, o.deadline, o.max_failures, o.retry, o.estimate, o.labels,
    case when largest <= 2000 or octet_length(payload::text) <= 2000 then payload end
  from rows from (unnest(ids), unnest(payloads)) with ordinality as u (id, payload, i);
  if largest > 2000 then
    insert into holdfast.payloads (job_id, payload)
    select id, payload from rows from (unnest(ids), unnest(payloads)) as u (id, payload) where octet_length(payload::text) > 2000;
  end if;
  if q.detail = 'full' then
    insert into holdfast.events (at, cause, job_id, run_id, queue, to_state, attempt)
    select at, 'enqueue', id, o.run, to_queue, case when is_later then 'scheduled' else 'ready' end, 0 from unnest(ids) as id;
  end if;
  if coalesce(q.notify, true) and options ->> 'notify' is distinct from 'false' then
    perform holdfast.notify_ready(array[to_queue]);
  end if;
end
$$;
comment on function holdfast.insert_alike(uuid[], text, json[], jsonb) is 'Inserts jobs of one task with the same options and without keys.';
