-- paused -> running: jobs of the queue are claimed again.
create or replace function holdfast.resume_queue(queue text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  update holdfast.queues as q
  set paused_at = null, paused_reason = null, paused_by = null
  where q.name = queue;
  if not found then
    perform holdfast.refuse('HF004', format('There is no queue %s.', queue),
      'The view holdfast.queue_view lists all queues.');
  end if;
  perform holdfast.record_event('resume', null, null, queue, null, null, null, null, actor, reason);
  perform holdfast.notify_ready(array[queue]);
end
$$;
