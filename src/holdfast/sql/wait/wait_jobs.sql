-- running -> waiting | ready: the handler waits for a signal or for children; costs nothing. What came meanwhile makes it ready at once.
create or replace function holdfast.wait_jobs(ids uuid[], tokens uuid[], details jsonb[])
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
  what   text;
  held   uuid[] := '{}';
begin
  perform holdfast.lock_permits(ids);
  for job in
    select j.* from holdfast.jobs as j
    where j.id = any (ids) and j.token = any (tokens)
    order by j.id
    for update
  loop
    continue when holdfast.place_of(ids, tokens, job.id, job.token) is null;
    detail := coalesce(details[holdfast.place_of(ids, tokens, job.id, job.token)], '{}');
    what := left(detail ->> 'for', 220);
    held := held || job.id;
    job := holdfast.charge_attempt(job, holdfast.read_number(detail -> 'units'));
    if job.cancel_asked_at is not null then
      perform holdfast.obey_cancel(job);
      continue;
    elsif coalesce(what, '') !~ '^(signal|children):.' then
      perform holdfast.fail_job(job, jsonb_build_object('class', 'permanent', 'type', 'BadWait', 'message', 'A wait is for signal: or children: and a name.'));
      continue;
    end if;
    insert into holdfast.waits (job_id, generation, visit, name, until, began_at)
    values (job.id, job.generation, job.visit, what, holdfast.now() + make_interval(secs => least(3153600000, holdfast.read_number(detail -> 'timeout'))), holdfast.now())
    -- A wait that is taken up again ends when it was to end at first.
    on conflict do nothing;
    -- Under the job's lock: whoever brings what it waits for takes the lock too, so one of the two sees the other.
    if holdfast.wait_is_over(job, what) then
      job.deferred_since := null;
      perform holdfast.put_back(job, 'wait', holdfast.now());
      perform holdfast.notify_ready(array[job.queue]);
    else
      perform holdfast.park(job, case when what like 'children:%' then 'children' else what end,
        (select w.until from holdfast.waits as w where w.job_id = job.id and w.generation = job.generation and w.visit = job.visit and w.name = what));
    end if;
  end loop;
  return query select u from unnest(ids) as u where u <> all (held);
end
$$;
comment on function holdfast.wait_jobs(uuid[], uuid[], jsonb[]) is 'Makes running jobs wait for a signal or for children, without a worker; returns those that were lost.';
