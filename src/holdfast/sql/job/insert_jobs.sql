-- Inserts the jobs of an enqueue whose keys, places and runs are settled, and wakes workers.
create or replace function holdfast.insert_jobs(
  ids uuid[], made boolean[], seqs bigint[], heads boolean[], tasks text[], payloads json[], options jsonb, each jsonb[]
)
returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  started timestamptz := holdfast.now();
  chunk   integer := greatest(1, (options -> 'stagger' ->> 'chunk')::integer);
  every   interval := coalesce(holdfast.read_interval(options -> 'stagger' -> 'every'), '0');
  woken   text[];
begin
  with asked as materialized (
    select
      o.*,
      coalesce(o.queue, t.queue, 'default') as at_queue,
      coalesce(o.priority, t.priority, q.priority, 50) as points,
      coalesce(o.endpoint, t.endpoint, q.endpoint, '') as at_endpoint,
      coalesce(o.timeout, t.timeout, q.timeout) as may_run,
      case when t.has_lanes then o.task else '' end as own_task, o.run is not null and holdfast.is_capped(o.run) as is_capped,
      greatest(o.due_at, started + every * ((o.i - 1) / chunk)) as due,
      octet_length(o.payload::text) as bytes,
      q.ageing, q.detail, q.payload_limit, coalesce(q.notify, true) as wakes
    from rows from (
      unnest(ids), unnest(made), unnest(seqs), unnest(heads), unnest(tasks), unnest(payloads),
      holdfast.read_options(options, each, cardinality(ids))
    ) with ordinality as o (
      id, is_made, seq, is_head, task, payload, queue, priority, due_at, unique_key, unique_for, unique_scope, order_key,
      run, parent, labels, timeout, deadline, "group", endpoint, max_failures, retry, pipeline, stage, estimate, i
    )
    left join holdfast.tasks as t on t.name = o.task
    left join holdfast.queues as q on q.name = coalesce(o.queue, t.queue, 'default')
    where o.is_made is not false
    -- New lanes are named in one order, so that two enqueues cannot wait for each other.
    order by at_queue, at_endpoint, o."group", own_task, is_capped
  ), placed as (
    select
      a.*,
      case when is_head is false then 'waiting' when due > started then 'scheduled' else 'ready' end as state,
      case when ageing is not null then make_interval(secs => 60 * points / ageing) end as lead,
      coalesce(l.lane, holdfast.find_lane(at_queue, at_endpoint, a."group", own_task, a.is_capped)) as lane
    from asked as a
    left join holdfast.lanes as l
      on l.queue = at_queue and l.endpoint = at_endpoint and l."group" = coalesce(a."group", '') and l.task = own_task and l.is_capped = a.is_capped
      and not l.is_suspect
    where holdfast.check_job(a.i, points, max_failures, bytes, payload_limit, may_run, at_queue)
  ), large as (
    insert into holdfast.payloads (job_id, payload)
    select id, payload from asked where bytes > 2000
  ), inserted as (
    insert into holdfast.jobs (
      id, lane, priority, urgency, state, rank_at, due_at, waits_for, lead, queue, task, pipeline, pipeline_version, stage, run_id, parent_id,
      order_key, order_seq, unique_scope, unique_key, timeout, deadline, max_failures, retry, estimate, labels, payload
    )
    select
      id, lane, points, case when ageing is null then points else 0 end, state,
      -- A microsecond apart, so that jobs of one call keep their order.
      case when state = 'ready' then started + i * interval '1 microsecond' - coalesce(lead, '0') end,
      case when due > started then due end,
      case when state = 'waiting' then 'order' end,
      lead, at_queue, task, pipeline, case when pipeline is not null then holdfast.newest_version(pipeline) end, stage, run, parent,
      case when seq is not null then order_key end, seq,
      case when unique_key is not null then coalesce(unique_scope, task) end, unique_key,
      may_run, deadline, max_failures, retry, estimate, labels, case when bytes <= 2000 then payload end
    from placed
  ), noted as (
    insert into holdfast.events (at, cause, job_id, run_id, queue, to_state, attempt)
    select started, 'enqueue', id, run, at_queue, state, 0 from placed where detail = 'full'
  )
  select array_agg(distinct at_queue) into woken from asked where wakes;
  if woken is not null and options ->> 'notify' is distinct from 'false' then
    perform holdfast.notify_ready(woken);
  end if;
end
$$;
comment on function holdfast.insert_jobs(uuid[], boolean[], bigint[], boolean[], text[], json[], jsonb, jsonb[])
  is 'Inserts the jobs of an enqueue whose keys, places and runs are settled.';
