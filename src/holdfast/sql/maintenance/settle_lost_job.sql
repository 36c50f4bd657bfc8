-- running -> ready | scheduled | dead | cancelled: takes one locked job from a lost worker. False if that made it dead.
-- It is a suspect from now on. Of jobs lost together most are innocent, so only the first such loss counts.
create or replace function holdfast.settle_lost_job(job holdfast.jobs)
returns boolean
language plpgsql volatile
as $$
declare
  policy     holdfast.queues;
  owner      holdfast.workers;
  is_counted boolean;
  due        timestamptz;
  at         constant timestamptz := holdfast.now();
begin
  select q.* into policy from holdfast.queues as q where q.name = job.queue;
  select w.* into owner from holdfast.workers as w where w.id = job.worker_id;
  job := holdfast.charge_attempt(job, holdfast.recorded_units(job));
  is_counted := owner.state is distinct from 'stopped' and (owner.lost_jobs is not distinct from 1 or job.losses = 0);
  if is_counted then
    job.losses := job.losses + 1;
  else
    job.deferrals := job.deferrals + 1;
  end if;
  due := case
    when policy.rescue_delay is null then at
    else at + holdfast.retry_delay(policy.rescue_delay, job.losses, random())
  end;
  if owner.state is distinct from 'stopped' then
    job.due_at := case when job.losses < policy.max_losses and job.cancel_asked_at is null then due end;
    perform holdfast.record_attempts(array[job], array['lost'], array[null::text], array[is_counted],
      array['{"type": "WorkerLost", "message": "The worker vanished: its lease ended without a renewal."}'::jsonb]);
    job.lane := coalesce(holdfast.suspect_lane(job.lane), job.lane);
  end if;
  if job.cancel_asked_at is not null then
    perform holdfast.finish_cancel(array[job]);
    return true;
  end if;
  if job.losses >= policy.max_losses then
    perform holdfast.dead_letter_jobs(array[job], array['lost_too_often']);
    return false;
  end if;
  job.due_at := case when owner.state = 'stopped' then at else due end;
  perform holdfast.put_back(array[job], 'rescue');
  perform holdfast.notify_ready(array[job.queue]);
  return true;
end
$$;
