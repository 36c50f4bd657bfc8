-- Returns how many jobs of these queues, or of one run, are ready, running or due within the given time.
-- Counts to about 10,000 per state. Pass null for run to count by queue.
-- plan: no seqscan
create or replace function holdfast.work_left(queues text[], run uuid, within interval)
returns bigint
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select case
    when run is not null then (
      select count(*) from (
        select from holdfast.jobs as j
        where j.run_id = run
          and (j.state in ('ready', 'running') or j.state = 'scheduled' and j.due_at <= holdfast.now() + within)
        limit 10000
      ) as found
    )
    else (
      select coalesce(sum(c.ready), 0)::bigint
      from (select distinct name from unnest(queues) as name) as named
      cross join lateral holdfast.count_jobs(named.name) as c
    ) + (
      select coalesce(sum(r.jobs), 0)::bigint from holdfast.count_running() as r where r.queue = any (queues)
    ) + (
      select count(*) from (
        select from holdfast.jobs as j
        where j.state = 'scheduled' and j.due_at <= holdfast.now() + within and j.queue = any (queues)
        limit 10000
      ) as found
    )
  end
$$;
