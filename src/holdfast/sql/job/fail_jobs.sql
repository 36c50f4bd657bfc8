-- running -> scheduled | dead | cancelled: records what went wrong and decides what follows.
create or replace function holdfast.fail_jobs(ids uuid[], tokens uuid[], details jsonb[])
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
    perform holdfast.fail_job(job, coalesce(details[i], '{}'));
  end loop;
  return query select u from unnest(ids) as u where u <> all (held);
end
$$;
comment on function holdfast.fail_jobs(uuid[], uuid[], jsonb[]) is 'Records failed attempts and retries, defers or buries their jobs; returns those that were lost.';
