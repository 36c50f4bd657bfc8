-- running -> paused: no job of any queue is claimed until resume_all_queues, of queues named later neither; what runs goes on.
create or replace function holdfast.pause_all_queues(reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
begin
  insert into holdfast.full_pause as p (paused_at, reason, actor)
  values (holdfast.now(), holdfast.sanitise_text(reason), actor)
  on conflict (only_row) do update set reason = excluded.reason, actor = excluded.actor;
  perform holdfast.record_event('pause_all', actor => actor, reason => reason);
end
$$;
comment on function holdfast.pause_all_queues(text, text)
  is 'Pauses all queues, those to come included: no job is claimed until resume_all_queues. Pauses of single queues stay as they are.';
