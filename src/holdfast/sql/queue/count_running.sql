-- Returns how many jobs of each queue are running, among at most 100,001 running jobs in total.
-- plan: no seqscan
create or replace function holdfast.count_running()
returns table (queue text, jobs bigint)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select found.queue, count(*)
  from (select j.queue from holdfast.jobs as j where j.state = 'running' limit 100001) as found
  group by found.queue
$$;
