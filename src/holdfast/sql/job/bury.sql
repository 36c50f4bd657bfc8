-- running | ready | scheduled | waiting -> dead: ends a locked job badly and writes its dead letter.
create or replace function holdfast.bury(job holdfast.jobs, reason text)
returns void
language plpgsql volatile
as $$
begin
  perform holdfast.give_permit_back(job, null);
  update holdfast.jobs as j
  set in_flight_at_start = null, failures = job.failures, losses = job.losses, deferrals = job.deferrals, units = job.units
  where j.id = job.id;
  perform holdfast.end_jobs(array[job.id], null, 'dead', null, array[reason]);
  insert into holdfast.dead_letters (
    job_id, generation, queue, task, run_id, reason, class, error_type, message, place, fingerprint, died_at
  )
  select
    job.id, job.generation, job.queue, job.task, job.run_id, reason,
    a.class, a.error_type, a.message, a.place, coalesce(a.fingerprint, reason), holdfast.now()
  from (select) as one
  left join lateral (
    -- An error of an earlier life or stage is not what it died of.
    select * from holdfast.attempts as t where t.job_id = job.id and t.visit = job.visit order by t.attempt desc limit 1
  ) as a on true
  on conflict (job_id) do update
    set generation = excluded.generation,
        queue = excluded.queue,
        task = excluded.task,
        reason = excluded.reason,
        class = excluded.class,
        error_type = excluded.error_type,
        message = excluded.message,
        place = excluded.place,
        fingerprint = excluded.fingerprint,
        died_at = excluded.died_at,
        status = 'open',
        replayed_at = null;
end
$$;
comment on function holdfast.bury(holdfast.jobs, text) is 'Ends a locked job badly and writes its dead letter, or reopens the one it has.';
