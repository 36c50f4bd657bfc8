-- running -> ready | scheduled: completes a stage of jobs, keeps its output, and moves each job to the next.
create or replace function holdfast.advance_jobs(ids uuid[], tokens uuid[], outputs json[], details jsonb[])
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  job  holdfast.jobs;
  held uuid[] := '{}';
  i    integer;
begin
  perform holdfast.lock_permits(ids);
  for job in
    select j.*
    from holdfast.jobs as j
    where j.id = any (ids)
      and j.token = any (tokens)
    order by j.id
    for update
  loop
    i := holdfast.place_of(ids, tokens, job.id, job.token);
    continue when i is null;
    held := held || job.id;
    if job.cancel_asked_at is not null then
      perform holdfast.obey_cancel(job);
    else
      perform holdfast.advance_job(job, outputs[i], coalesce(details[i], '{}'));
    end if;
  end loop;
  perform holdfast.notify_ready(array(select distinct j.queue from holdfast.jobs as j where j.id = any (held)));
  return query select u from unnest(ids) as u where u <> all (held);
end
$$;
comment on function holdfast.advance_jobs(uuid[], uuid[], json[], jsonb[]) is 'Completes a stage of running jobs and readies the next; returns those that were lost.';
