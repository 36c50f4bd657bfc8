-- Where a job stands that names these: its queue, endpoint and lane, and the policies of its task and queue.
-- lane is null if there is none yet; find_lane creates it. ruled_by: whose rules judge the job, task or queue, if any.
-- offset 0: one look into each primary key, whatever the statistics say.
create or replace function holdfast.find_place(
  of_task text, of_queue text, of_endpoint text, of_group text, of_capped boolean
)
returns table (
  queue text, endpoint text, task text, lane integer, priority integer, timeout interval, ageing double precision,
  payload_limit integer, is_full boolean, wakes boolean, ruled_by text
)
language sql stable rows 1
as $$
  select
    named.queue, called.endpoint, called.task, l.lane,
    coalesce(t.priority, q.priority, 50), coalesce(t.timeout, q.timeout), q.ageing, q.payload_limit,
    coalesce(q.detail = 'full', false), coalesce(q.notify, true),
    case when t.has_rules then 'task' when q.has_rules then 'queue' end
  from (values (1)) as one
  left join lateral (select k.* from holdfast.tasks as k where k.name = of_task offset 0) as t on true
  cross join lateral (select coalesce(of_queue, t.queue, 'default') as queue) as named
  left join lateral (select k.* from holdfast.queues as k where k.name = named.queue offset 0) as q on true
  cross join lateral (
    select
      coalesce(of_endpoint, t.endpoint, q.endpoint, '') as endpoint,
      case when t.has_lanes then of_task else '' end as task
  ) as called
  left join lateral (
    select k.lane
    from holdfast.lanes as k
    where k.queue = named.queue
      and k.endpoint = called.endpoint
      and k."group" = coalesce(of_group, '')
      and k.task = called.task
      and k.is_capped = of_capped
      and not k.is_suspect
    offset 0
  ) as l on true
$$;
