-- active | failing -> active: stores the job of a slot and moves the schedule on to the next one, in one transaction.
-- Compare-and-set: nothing happens unless slot is still the next one of a schedule that is due and not paused, so any
-- number of workers may call it for the same slot. newest: the slot that gets the job where missed is not all; those
-- before it were missed. Returns fired with the job, or missed or overlap if the slot made none, or failed with the
-- problem if its job was refused: the schedule says so, and the slot is tried again after a minute. No row: another
-- call was faster.
create or replace function holdfast.fire_schedule(
  schedule text, slot timestamptz, next timestamptz, newest timestamptz default null
)
returns table (result text, job uuid, problem text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set lock_timeout = '1s'
as $$
#variable_conflict use_variable
declare
  at   constant timestamptz := holdfast.now();
  runs constant timestamptz := coalesce(newest, slot);
  s    holdfast.schedules;
begin
  if next <= runs or runs < slot or next is null then
    perform holdfast.refuse('HF002', 'fire_schedule needs slot, newest and next in the order of time.');
  end if;
  -- A row that another call holds is being fired, or changed: the next round sees what became of it.
  select x.* into s
  from holdfast.schedules as x
  where x.name = schedule
    and x.next_slot = slot
    and x.paused_at is null
  for update skip locked;
  if not found or runs > at or s.missed = 'all' and runs > slot then
    return;
  end if;
  result := case
    -- The newest slot is not missed while workers are only a moment late, or while its job is refused.
    when s.missed = 'skip' and s.retry_at is null and runs < at - interval '1 minute' then 'missed'
    when s.overlap = 'skip' and exists (select from holdfast.jobs as j where j.id = s.last_job) then 'overlap'
    else 'fired'
  end;
  if result = 'fired' then
    begin
      job := holdfast.enqueue_scheduled(s, runs, 'scheduled', 'schedule ' || s.name);
    exception
      -- The slot has its job already, with another payload: the clock was set back.
      when sqlstate 'HF003' then
        select k.job_id into job
        from holdfast.unique_keys as k
        where k.scope = 'holdfast.schedule'
          and k.key = holdfast.slot_key(s.name, runs);
      when others then
        result := 'failed';
        problem := left(holdfast.sanitise_text(sqlerrm), 2000);
        update holdfast.schedules as x
        set state = 'failing', problem = fire_schedule.problem,
            -- A refusal stays until a setting changes; a lock that was held for too long does not.
            retry_at = at + case when sqlstate like 'HF%' then interval '1 minute' else interval '5 seconds' end
        where x.name = schedule;
        return next;
        return;
    end;
  end if;
  update holdfast.schedules as x
  set state = 'active', problem = null, retry_at = null, next_slot = next,
      last_slot = case when result = 'fired' then runs else x.last_slot end,
      last_job = coalesce(job, x.last_job),
      skipped_slot = case when result = 'fired' and runs = slot then x.skipped_slot else slot end,
      skipped_because = case
        when result = 'overlap' then result
        when result = 'missed' or runs > slot then 'missed'
        else x.skipped_because
      end
  where x.name = schedule;
  return next;
end
$$;
