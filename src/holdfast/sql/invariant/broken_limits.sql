-- Violations of: of the jobs that started since a limit was set, never more run at once than it allows.
create or replace function holdfast.broken_limits(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with newest as materialized (
    select n.* from holdfast.newest_jobs(max) as n where exists (select from holdfast.limits)
  ), held as materialized (
    select n.queue, n.task, n.started_at, coalesce(n.ended_at, 'infinity') as ended_at
    from newest as n
    where n.started_at is not null
    union all
    select a.queue, a.task, a.started_at, a.ended_at
    from newest as n
    cross join lateral (select t.* from holdfast.attempts as t where t.job_id = n.id offset 0) as a
    where a.started_at is not null
      -- The last attempt of an ended job is counted above.
      and not (n.started_at is not null and a.attempt = n.attempt)
  ), turn as (
    select l.kind, l.name, l.max_concurrent, e.at, e.change
    from holdfast.limits as l
    -- A claim that was running when it was set may have missed it.
    join held as h on case l.kind when 'queue' then h.queue else h.task end = l.name
      and h.started_at > l.changed_at + interval '10 seconds'
    cross join lateral (values (h.started_at, 1), (h.ended_at, -1)) as e (at, change)
  ), counted as (
    select t.*,
      sum(t.change) over (partition by t.kind, t.name order by t.at, t.change rows unbounded preceding) as running
    from turn as t
  )
  select 'admitted_above_the_limit', null::uuid,
    format('%s %s: up to %s ran at once, first too many at %s, at most %s may', c.kind, c.name, max(c.running),
      min(c.at), c.max_concurrent)
  from counted as c
  where c.running > c.max_concurrent
  group by c.kind, c.name, c.max_concurrent
$$;
