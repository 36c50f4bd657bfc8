-- Returns the running jobs of a worker.
-- A job that the worker does not know of was claimed by a call whose answer was lost: give it back with release_jobs.
-- plan: no seqscan
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
