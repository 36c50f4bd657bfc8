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
  job    holdfast.jobs;
  detail jsonb;
  held   uuid[] := '{}';
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
    continue when holdfast.place_of(ids, tokens, job.id, job.token) is null;
    held := held || job.id;
    detail := details[holdfast.place_of(ids, tokens, job.id, job.token)];
    job.deferrals := job.deferrals + 1;
    if detail -> 'yielded' = 'true' then
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
      perform holdfast.put_back(job, 'release', holdfast.now());
    end if;
  end loop;
  perform holdfast.notify_ready(array(select distinct j.queue from holdfast.jobs as j where j.id = any (held)));
  return query select i from unnest(ids) as i where i <> all (held);
end
$$;
comment on function holdfast.release_jobs(uuid[], uuid[], jsonb[]) is 'Gives running jobs back at no cost; returns those that were lost.';
