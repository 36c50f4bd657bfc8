-- Returns the queues whose jobs call these endpoints, with their ready jobs that do, each queue counted to 10,000.
-- is_more: there are more. Looks at the first 1,000 lanes of the endpoints; a queue with no such job has 0.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.endpoint_backlog(endpoints text[])
returns table (endpoint text, queue text, ready bigint, is_more boolean, is_paused boolean)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with called as materialized (
    select l.endpoint, l.queue, l.lane
    from holdfast.lanes as l
    where l.endpoint = any (endpoints) and l.endpoint <> ''
    limit 1000
  ), counted as materialized (
    select c.endpoint, c.queue, sum(n.jobs) as jobs
    from called as c
    cross join lateral (
      select count(*) as jobs
      from (select from holdfast.jobs as j where j.lane = c.lane and j.state = 'ready' limit 10001) as found
    ) as n
    group by c.endpoint, c.queue
  )
  select
    c.endpoint, c.queue, least(c.jobs, 10000)::bigint, c.jobs > 10000,
    q.paused_at is not null or exists (select from holdfast.full_pause)
  from counted as c
  join holdfast.queues as q on q.name = c.queue
  order by c.endpoint, c.jobs desc, c.queue
$$;
