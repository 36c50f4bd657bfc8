-- paused -> running: the slots of the schedule run again, from now on; those of the pause are not made up for.
-- A schedule that is invalid is checked again.
create or replace function holdfast.resume_schedule(schedule text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  held constant holdfast.schedules := holdfast.lock_schedule(schedule);
begin
  if held.paused_at is not null or held.state = 'invalid' then
    update holdfast.schedules as s set paused_at = null, paused_reason = null where s.name = schedule;
    perform holdfast.recount_schedule(schedule, date_trunc('second', holdfast.now()));
  end if;
  perform holdfast.record_event('resume_schedule', actor => actor, reason => reason,
    detail => jsonb_build_object('schedule', schedule));
end
$$;
