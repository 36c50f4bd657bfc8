-- How many jobs of each queue run, of at most 100,001 that run in all.
create or replace function holdfast.count_running()
returns table (queue text, jobs bigint)
language sql stable security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
as $$
  select found.queue, count(*)
  from (select j.queue from holdfast.jobs as j where j.state = 'running' limit 100001) as found
  group by found.queue
$$;
comment on function holdfast.count_running() is 'How many jobs of each queue run; 100,001 in all means more than 100,000.';
