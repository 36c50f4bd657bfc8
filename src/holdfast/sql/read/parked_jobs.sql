-- Returns what scheduled and waiting jobs wait for.
-- Of the scheduled ones: how many are retries, and when the next is due. Of the waiting ones: how many wait for a
-- signal, for their children, for an earlier job of their order key, or for a larger budget. queues limits them. Looks
-- at 10,000 of each; is_partial is true if there are more.
-- plan: no seqscan, no bitmapscan, no hashjoin, no mergejoin
create or replace function holdfast.parked_jobs(queues text[] default null)
returns table (
  retries bigint, next_due timestamptz, for_signals bigint, for_children bigint, for_order bigint, for_budget bigint,
  is_partial boolean
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with lane as materialized (
    select l.lane
    from holdfast.lanes as l
    where parked_jobs.queues is null or l.queue = any (parked_jobs.queues)
  ), scheduled as materialized (
    select j.failures, j.due_at
    from lane as l
    join holdfast.jobs as j on j.lane = l.lane and j.state = 'scheduled'
    limit 10001
  ), waiting as materialized (
    select j.waits_for
    from lane as l
    join holdfast.jobs as j on j.lane = l.lane and j.state = 'waiting'
    limit 10001
  )
  select
    s.retries, s.next_due, w.signals, w.children, w.ordered, w.budget, s.jobs > 10000 or w.jobs > 10000
  from (
    select count(*) as jobs, count(*) filter (where failures > 0) as retries, min(due_at) as next_due from scheduled
  ) as s
  cross join (
    select
      count(*) as jobs,
      count(*) filter (where waits_for like 'signal:%') as signals,
      count(*) filter (where waits_for = 'children') as children,
      count(*) filter (where waits_for = 'order') as ordered,
      count(*) filter (where waits_for = 'budget') as budget
    from waiting
  ) as w
$$;
