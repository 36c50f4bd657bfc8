-- Where a job stands that names these: its queue, endpoint and lane, and the policies of its task and queue.
-- lane is null if there is none yet; find_lane creates it.
create or replace function holdfast.find_place(
  of_task text, of_queue text, of_endpoint text, of_group text, is_capped boolean,
  out queue text, out endpoint text, out task text, out lane integer, out priority integer, out timeout interval,
  out ageing double precision, out payload_limit integer, out is_full boolean, out wakes boolean
)
language plpgsql stable
as $$
#variable_conflict use_variable
declare
  t holdfast.tasks;
  q holdfast.queues;
begin
  select k.* into t from holdfast.tasks as k where k.name = of_task;
  queue := coalesce(of_queue, t.queue, 'default');
  select k.* into q from holdfast.queues as k where k.name = queue;
  endpoint := coalesce(of_endpoint, t.endpoint, q.endpoint, '');
  task := case when t.has_lanes then of_task else '' end;
  select k.lane into lane
  from holdfast.lanes as k
  where k.queue = find_place.queue
    and k.endpoint = find_place.endpoint
    and k."group" = coalesce(of_group, '')
    and k.task = find_place.task
    and k.is_capped = find_place.is_capped
    and not k.is_suspect;
  priority := coalesce(t.priority, q.priority, 50);
  timeout := coalesce(t.timeout, q.timeout);
  ageing := q.ageing;
  payload_limit := q.payload_limit;
  is_full := coalesce(q.detail = 'full', false);
  wakes := coalesce(q.notify, true);
end
$$;
