-- The running jobs of a worker. One that it does not know of was claimed by a call whose answer got lost.
create or replace function holdfast.held_jobs(worker uuid)
returns table (job_id uuid, token uuid)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select j.id, j.token
  from holdfast.jobs as j
  where j.worker_id = worker
    and j.state = 'running'
$$;
comment on function holdfast.held_jobs(uuid) is 'The running jobs of a worker, so that it can give back those that it does not know of.';
