-- Violations of: a minute that is counted for good has each end and each stage visit that jobs left, once.
-- Looks at the newest minutes, of which all ends still exist, until they hold max ends.
create or replace function holdfast.broken_statistics(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with span as materialized (
    select
      nullif(holdfast.counted_until(), 'infinity') as sure,
      greatest(holdfast.counted_until() - interval '50 minutes', holdfast.now() - (
        select coalesce(min(q.retention), holdfast.history_retention()) from holdfast.queues as q)) as first
  ), newest as materialized (
    select c.minute, sum(c.jobs) as jobs, sum(sum(c.jobs)) over (order by c.minute desc) as so_far
    from span as s
    join holdfast.end_counts as c
      on not c.is_hour
      and c.minute >= s.first
      and c.minute + interval '1 minute' <= s.sure
      and c.what = 'end'
    group by c.minute
  ), looked_at as materialized (
    select n.minute, n.jobs from newest as n where n.so_far <= max
  ), found as (
    select date_trunc('minute', e.ended_at) as minute, count(*) as jobs
    from (
      select v.ended_at
      from (select min(l.minute) as since, max(l.minute) + interval '1 minute' as until from looked_at as l) as b
      cross join lateral holdfast.ended_visits(b.since, b.until) as v
      where b.since is not null
    ) as e
    group by 1
  )
  select 'end_counted_wrongly', null::uuid,
    format('minute %s: %s ended, %s counted', coalesce(l.minute, f.minute), coalesce(f.jobs, 0), coalesce(l.jobs, 0))
  from looked_at as l
  full join found as f on f.minute = l.minute
  where l.jobs is distinct from f.jobs
$$;
