-- running -> paused: no job of the queue is claimed until resume_queue; running jobs continue.
create or replace function holdfast.pause_queue(queue text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  update holdfast.queues as q
  set paused_at = coalesce(q.paused_at, holdfast.now()), paused_reason = holdfast.sanitise_text(reason),
      paused_by = actor
  where q.name = queue;
  if not found then
    perform holdfast.refuse('HF004', format('There is no queue %s.', queue),
      'The view holdfast.queue_view lists all queues.');
  end if;
  perform holdfast.record_event('pause', null, null, queue, null, null, null, null, actor, reason);
end
$$;
