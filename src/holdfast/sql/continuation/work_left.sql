-- How many jobs of some queues, or of one run, are ready, running or due within a time: what a successor would have to do.
create or replace function holdfast.work_left(queues text[], run uuid, within interval)
returns bigint
language sql stable security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
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
comment on function holdfast.work_left(text[], uuid, interval) is 'How many jobs of these queues, or of this run, are ready, running or due within a time; each counted to 10,000.';
