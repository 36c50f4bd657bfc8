-- running | paused -> (nothing): deletes a schedule; its jobs stay. An app that declares it makes it again.
create or replace function holdfast.remove_schedule(schedule text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  before jsonb;
begin
  perform holdfast.lock_schedule(schedule);
  before := holdfast.schedule_settings(schedule);
  delete from holdfast.schedules as s where s.name = schedule;
  perform holdfast.record_change('remove_schedule', 'schedule', schedule, before, '{}', reason, actor);
end
$$;
