-- Returns one job, live or ended, as a row of job_view; no row if it is unknown or was pruned.
create or replace function holdfast.get_job(job uuid)
returns setof holdfast.job_view
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select v.*
  from holdfast.job_view as v
  where v.id = job
    and (v.ended_at is null or v.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute')
$$;
