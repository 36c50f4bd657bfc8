-- running -> ready | scheduled | dead | cancelled: one locked job whose worker vanished. False if that made it dead.
-- It is a suspect from now on. Lost together with others it may be innocent: only the first such loss counts.
create or replace function holdfast.lose_job(job holdfast.jobs)
returns boolean
language plpgsql volatile
as $$
declare
  policy     holdfast.queues;
  owner      holdfast.workers;
  is_counted boolean;
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
  if owner.state is distinct from 'stopped' then
    perform holdfast.record_attempt(job, 'lost', null, is_counted,
      jsonb_build_object('type', 'WorkerLost', 'message', 'The worker vanished: its lease ended without a renewal.'),
      case when job.losses < policy.max_losses and job.cancel_asked_at is null then at + policy.rescue_delay end);
    job.lane := coalesce(holdfast.suspect_lane(job.lane), job.lane);
  end if;
  if job.cancel_asked_at is not null then
    perform holdfast.obey_cancel(job);
    return true;
  end if;
  if job.losses >= policy.max_losses then
    perform holdfast.bury(job, 'lost_too_often');
    return false;
  end if;
  perform holdfast.put_back(job, 'rescue', at + case when owner.state = 'stopped' then interval '0' else policy.rescue_delay end);
  perform holdfast.notify_ready(array[job.queue]);
  return true;
end
$$;
comment on function holdfast.lose_job(holdfast.jobs) is 'Takes one locked job back from a vanished worker; false if that was one loss too many.';
