-- running -> ready | scheduled | dead | cancelled: one locked job whose worker vanished. False if that made it dead.
create or replace function holdfast.lose_job(job holdfast.jobs)
returns boolean
language plpgsql volatile
as $$
declare
  policy  holdfast.queues;
  at      constant timestamptz := holdfast.now();
  is_left constant boolean := exists (select from holdfast.workers as w where w.id = job.worker_id and w.state = 'stopped');
begin
  select q.* into policy from holdfast.queues as q where q.name = job.queue;
  job := holdfast.charge_attempt(job, holdfast.recorded_units(job));
  if is_left then
    job.deferrals := job.deferrals + 1;
  else
    job.losses := job.losses + 1;
  end if;
  if not is_left then
    perform holdfast.record_attempt(job, 'lost', null, true,
      jsonb_build_object('type', 'WorkerLost', 'message', 'The worker vanished: its lease ended without a renewal.'),
      case when job.losses < policy.max_losses and job.cancel_asked_at is null then at + policy.rescue_delay end);
  end if;
  if job.cancel_asked_at is not null then
    perform holdfast.obey_cancel(job);
    return true;
  end if;
  if job.losses >= policy.max_losses then
    perform holdfast.bury(job, 'lost_too_often');
    return false;
  end if;
  perform holdfast.put_back(job, 'rescue', at + case when is_left then interval '0' else policy.rescue_delay end);
  perform holdfast.notify_ready(array[job.queue]);
  return true;
end
$$;
comment on function holdfast.lose_job(holdfast.jobs) is 'Takes one locked job back from a vanished worker; false if that was one loss too many.';
