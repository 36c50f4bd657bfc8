-- running -> scheduled | dead | cancelled: records what went wrong and decides what follows.
create or replace function holdfast.fail_jobs(ids uuid[], tokens uuid[], details jsonb[])
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  job   holdfast.jobs;
  found uuid[] := '{}';
begin
  for job in
    select j.*
    from holdfast.jobs as j
    where j.id = any (ids)
      and j.token = tokens[array_position(ids, j.id)]
    order by j.id
    for update
  loop
    found := found || job.id;
    perform holdfast.fail_job(job, coalesce(details[array_position(ids, job.id)], '{}'));
  end loop;
  return query select i from unnest(ids) as i where i <> all (found);
end
$$;
comment on function holdfast.fail_jobs(uuid[], uuid[], jsonb[]) is 'Records failed attempts and retries, defers or buries their jobs; returns those that were lost.';
