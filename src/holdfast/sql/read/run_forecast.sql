-- Returns how long the jobs left of a run should take, by the run times of earlier jobs: also before its first end.
-- That is jobs / slots rounds of the usual run time: eta by its mean, eta_low and eta_high by p50 and p95. jobs counts
-- those left. slots are those of live workers that may claim the run's jobs, or with_slots if it is given. measured is
-- the number of completed jobs behind the times, which run_times looks up for the queues of the 1,000 oldest live jobs,
-- each with its share. Other runs on the same workers, limits and later stages of a pipeline are not considered.
-- Without an estimate, reason says why. No row if there is no such run.
create or replace function holdfast.run_forecast(run uuid, with_slots integer default null)
returns table (
  run uuid, jobs bigint, slots bigint, measured bigint, mean interval, p50 interval, p95 interval,
  eta interval, eta_low interval, eta_high interval, reason text
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with known as (
    select
      v.id, v.ended_at, v.reached_at, (v.total - v.completed - v.rejected - v.cancelled - v.dead)::bigint as jobs
    from holdfast.run_view as v
    where v.id = run_forecast.run
  ), lane as materialized (
    select o.queue, o.lane, count(*) as n
    from (
      select j.queue, j.lane from holdfast.jobs as j where j.run_id = run_forecast.run order by j.id limit 1000
    ) as o
    group by o.queue, o.lane
  ), timed as (
    -- A run with jobs in more than twenty queues is judged by those with the most jobs.
    select
      sum(t.jobs)::bigint as measured,
      sum(q.n * t.mean) / sum(q.n) as mean, sum(q.n * t.p50) / sum(q.n) as p50, sum(q.n * t.p95) / sum(q.n) as p95
    from (select l.queue, sum(l.n)::double precision as n from lane as l group by l.queue order by 2 desc limit 20) as q
    cross join lateral holdfast.run_times(array[q.queue]) as t
    where t.jobs > 0
  ), served as (
    select coalesce(run_forecast.with_slots, sum(w.slots))::bigint as slots
    from holdfast.workers as w
    where w.state = 'working'
      and w.isolation <> 'only'
      and w.lease_until >= holdfast.now()
      and exists (
        select from lane as l
        join holdfast.lanes as k on k.lane = l.lane
        where holdfast.reaches(w, k))
  ), judged as (
    select
      k.*, s.slots, t.*, ceil(k.jobs::double precision / nullif(greatest(s.slots, 0), 0)) as rounds,
      case
        when k.ended_at is not null then 'the run has ended'
        when k.jobs = 0 then 'no job is left'
        when k.reached_at is not null then 'the run waits for a larger budget'
        when coalesce(t.measured, 0) = 0 then (
          select format('no run time of the queue %s is known', string_agg(distinct left(l.queue, 60), ', '))
          from lane as l)
        when coalesce(s.slots, 0) <= 0 then 'no worker is there for its jobs'
      end as reason
    from known as k
    cross join timed as t
    cross join served as s
  )
  select
    j.id, j.jobs, coalesce(j.slots, 0), coalesce(j.measured, 0), j.mean, j.p50, j.p95,
    case when j.reason is null then j.rounds * j.mean end,
    case when j.reason is null then j.rounds * least(j.p50, j.mean) end,
    case when j.reason is null then j.rounds * greatest(j.p95, j.mean) end,
    j.reason
  from judged as j
$$;
