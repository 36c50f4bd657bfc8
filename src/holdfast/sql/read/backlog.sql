-- Returns how many jobs of these queues are scheduled, ready or running. Nothing is left to do when it is 0.
-- Each state of a queue is counted to 10,001 and no further.
create or replace function holdfast.backlog(queues text[])
returns bigint
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select coalesce(sum(c.scheduled + c.ready), 0)::bigint
    + (select coalesce(sum(r.jobs), 0)::bigint from holdfast.count_running() as r where r.queue = any (queues))
  from (select distinct name from unnest(queues) as name) as named
  cross join lateral holdfast.count_jobs(named.name) as c
$$;
