-- (nothing) -> ready | waiting: stores a job of the schedule now, beside its slots, and returns its id.
-- It works while the schedule is paused, failing or invalid too. The job's origin is manual, and it has no slot.
create or replace function holdfast.run_schedule(schedule text, reason text default null, actor text default null)
returns uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  job uuid;
begin
  job := holdfast.enqueue_scheduled(holdfast.lock_schedule(schedule), null, 'manual', actor);
  perform holdfast.record_event('run_schedule', job => job, actor => actor, reason => reason,
    detail => jsonb_build_object('schedule', schedule));
  return job;
end
$$;
