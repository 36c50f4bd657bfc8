-- Returns the saved partial work of a job, oldest first, with the attempt that saved it.
create or replace function holdfast.load_checkpoints(job uuid)
returns table (name text, data json, attempt integer, saved_at timestamptz)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select c.name, c.data, c.attempt, c.saved_at
  from holdfast.checkpoints as c
  where c.job_id = job
  order by c.saved_at, c.name
$$;
