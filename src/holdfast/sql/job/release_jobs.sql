-- running -> ready: the worker gives jobs back unfinished; costs nothing. After five in a row without a sign of work done, a job is a suspect.
create or replace function holdfast.release_jobs(ids uuid[], tokens uuid[], details jsonb[] default null)
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  job   holdfast.jobs;
  held  uuid[] := '{}';
  i     integer;
begin
  perform holdfast.lock_permits(ids);
  -- Before the first job is put back, so that lanes are made in one order.
  perform holdfast.name_suspect_lanes(array(select j.lane from holdfast.jobs as j where j.id = any (ids) and j.releases >= 4));
  for job in
    select j.* from holdfast.jobs as j
    where j.id = any (ids) and j.token = any (tokens)
    order by j.id
    for update
  loop
    i := holdfast.place_of(ids, tokens, job.id, job.token);
    continue when i is null;
    held := held || job.id;
    -- Without details it is not the worker that speaks, which would know better.
    job := holdfast.charge_attempt(
      job, case when details is null then holdfast.recorded_units(job) else holdfast.read_number(details[i] -> 'units') end
    );
    job.deferrals := job.deferrals + 1;
    if details[i] -> 'yielded' = 'true' then
      job.releases := 0;
      job.lane := holdfast.plain_lane(job.lane);
    elsif exists (select from holdfast.checkpoints as c where c.job_id = job.id and c.attempt = job.attempt) then
      job.releases := 0;
    else
      job.releases := job.releases + 1;
      job.lane := case when job.releases >= 5 then coalesce(holdfast.suspect_lane(job.lane), job.lane) else job.lane end;
    end if;
    if job.cancel_asked_at is not null then
      perform holdfast.obey_cancel(job);
    else
      perform holdfast.record_event(
        case when details[i] -> 'yielded' = 'true' then 'yield' else 'release' end,
        job.id, job.run_id, job.queue, 'running', 'ready', job.attempt, job.worker_id, reason => details[i] ->> 'reason')
      where (select q.detail from holdfast.queues as q where q.name = job.queue) <> 'off';
      perform holdfast.put_back(job, 'release', holdfast.now());
    end if;
  end loop;
  perform holdfast.notify_ready(array(select distinct j.queue from holdfast.jobs as j where j.id = any (held)));
  return query select u from unnest(ids) as u where u <> all (held);
end
$$;
comment on function holdfast.release_jobs(uuid[], uuid[], jsonb[]) is 'Gives running jobs back at no cost; returns those that were lost.';
