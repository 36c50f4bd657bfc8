-- running -> paused: no job of any queue is claimed until resume_all_queues; running jobs continue.
-- Queues that are created later are paused as well.
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
