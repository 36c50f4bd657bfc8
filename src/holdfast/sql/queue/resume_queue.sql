-- paused -> running: jobs of the queue are claimed again.
create or replace function holdfast.resume_queue(queue text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  update holdfast.queues as q set paused_at = null, paused_reason = null where q.name = queue;
  if not found then
    perform holdfast.refuse('HF004', format('There is no queue %s.', queue), 'Look at holdfast.queue_view for the queues there are.');
  end if;
  perform holdfast.record_event('resume', null, null, queue, null, null, null, null, actor, reason);
  perform holdfast.notify_ready(array[queue]);
end
$$;
comment on function holdfast.resume_queue(text, text, text) is 'Resumes a paused queue.';
