-- running -> paused: no slot of the schedule runs until resume_schedule.
create or replace function holdfast.pause_schedule(schedule text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.lock_schedule(schedule);
  update holdfast.schedules as s
  set paused_at = coalesce(s.paused_at, holdfast.now()), paused_reason = holdfast.sanitise_text(reason)
  where s.name = schedule;
  perform holdfast.record_event('pause_schedule', actor => actor, reason => reason,
    detail => jsonb_build_object('schedule', schedule));
end
$$;
