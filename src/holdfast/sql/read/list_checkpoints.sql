-- Returns the saved partial work of a job for people, oldest first, at most 1,000 checkpoints.
-- size is the number of bytes of the data; value is the data as text, redacted, and cut after 8 KiB.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.list_checkpoints(job uuid)
returns table (name text, attempt integer, saved_at timestamptz, size bigint, value text)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select c.name, c.attempt, c.saved_at, octet_length(c.data::text)::bigint, holdfast.sanitise_text(c.data::text)
  from (
    select o.* from holdfast.checkpoints as o
    where o.job_id = list_checkpoints.job
    order by o.name
    limit 1000
  ) as c
  order by c.saved_at, c.name
$$;
