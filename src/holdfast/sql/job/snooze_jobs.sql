-- running -> scheduled: the handler wants to try again later; costs nothing.
create or replace function holdfast.snooze_jobs(ids uuid[], tokens uuid[], details jsonb[])
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
  due    timestamptz;
  held   uuid[] := '{}';
  i      integer;
begin
  perform holdfast.lock_permits(ids);
  for job in
    select j.* from holdfast.jobs as j
    where j.id = any (ids) and j.token = any (tokens)
    order by j.id
    for update
  loop
    i := holdfast.place_of(ids, tokens, job.id, job.token);
    continue when i is null;
    held := held || job.id;
    detail := details[i];
    due := holdfast.now() + make_interval(secs => least(31536000, greatest(0, coalesce(holdfast.read_number(detail -> 'delay'), 0))));
    job := holdfast.charge_attempt(job, holdfast.read_number(detail -> 'units'));
    job.deferrals := job.deferrals + 1;
    job.deferred_since := coalesce(job.deferred_since, holdfast.now());
    if job.cancel_asked_at is not null then
      perform holdfast.obey_cancel(job);
    elsif holdfast.now() - job.deferred_since > holdfast.max_wait_of(job.queue) then
      -- What it asks for now may be longer than that; only what it has asked for again and again is too long.
      perform holdfast.bury(job, 'deferred_too_long');
    elsif due > job.deadline then
      perform holdfast.bury(job, 'deadline_passed');
    else
      perform holdfast.put_back(job, 'snooze', due);
    end if;
  end loop;
  return query select u from unnest(ids) as u where u <> all (held);
end
$$;
comment on function holdfast.snooze_jobs(uuid[], uuid[], jsonb[]) is 'Puts running jobs off for a while at no cost; returns those that were lost.';
