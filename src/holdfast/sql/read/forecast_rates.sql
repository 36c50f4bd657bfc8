-- Forecasts jobs per minute of queues: from this time of day on earlier days, scaled by how today compares to them.
-- last is the rate of the last ten minutes. Figures of all queues are read together: they lie together, by minute.
create or replace function holdfast.forecast_rates(queues text[], ahead interval)
returns table (queue text, last double precision, forecast double precision)
language sql stable
as $$
  with clock as (
    select date_trunc('minute', holdfast.now()) as now
  ), span as (
    -- Ten minutes around the time asked for, and the last half hour, on each day; day 0 is today.
    select d as day, 'then' as part, c.now + ahead - interval '5 minutes' - d * interval '1 day' as since,
      interval '10 minutes' as length
    from clock as c, generate_series(1, 6) as d
    union all
    select d, 'lately', c.now - interval '30 minutes' - d * interval '1 day', interval '30 minutes'
    from clock as c, generate_series(0, 6) as d
    union all
    select 0, 'last', c.now - interval '10 minutes', interval '10 minutes' from clock as c
    union all
    select 0, 'before', c.now - interval '20 minutes', interval '10 minutes' from clock as c
  ), counted as materialized (
    select s.day, s.part, e.queue, sum(e.jobs) / (extract(epoch from s.length)::double precision / 60) as jobs
    from span as s
    join holdfast.end_counts as e
      on not e.is_hour
      and e.minute >= s.since
      and e.minute < s.since + s.length
      and e.what = 'end'
      and e.queue = any (queues)
    group by s.day, s.part, s.length, e.queue
  ), rate as (
    select q.name as queue, s.day, s.part, coalesce(c.jobs, 0) as jobs
    from (select distinct u as name from unnest(queues) as u) as q
    cross join span as s
    left join counted as c on c.queue = q.name and c.day = s.day and c.part = s.part
  ), known as (
    -- A day counts if it had work at either time.
    select a.queue, a.day, a.jobs as at_then, b.jobs as lately
    from rate as a
    join rate as b on b.queue = a.queue and b.day = a.day and b.part = 'lately'
    where a.part = 'then' and a.jobs + b.jobs > 0
  ), today as (
    select
      queue, max(jobs) filter (where part = 'lately') as lately, max(jobs) filter (where part = 'last') as last,
      max(jobs) filter (where part = 'before') as before
    from rate
    where day = 0
    group by queue
  )
  select t.queue, t.last, case
    when count(k.day) > 0 and avg(k.lately) > 0 then avg(k.at_then) * least(5, greatest(0.2, t.lately / avg(k.lately)))
    -- Without days to compare with: the last ten minutes, and half of their trend.
    else greatest(0, t.last + (t.last - t.before) * 0.5 * extract(epoch from ahead)::double precision / 600)
  end
  from today as t
  left join known as k on k.queue = t.queue
  group by t.queue, t.lately, t.last, t.before
$$;
