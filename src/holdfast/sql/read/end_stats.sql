-- What ended in a span of time, by queue, task or hour: counts, retries and percentiles of wait and run.
create or replace function holdfast.end_stats(since interval default '1 hour', by_what text default 'queue', queue text default null)
returns table (
  name text, jobs bigint, completed bigint, rejected bigint, cancelled bigint, dead bigint, retried bigint, retried_completed bigint,
  per_minute double precision, wait_p50 interval, wait_p95 interval, wait_p99 interval, run_p50 interval, run_p95 interval, run_p99 interval
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with chosen as (
    select
      case by_what when 'task' then c.task when 'hour' then to_char(date_trunc('hour', c.minute) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') else c.queue end as name,
      c.*
    from holdfast.end_counts as c
    where c.minute >= holdfast.now() - since
      and (end_stats.queue is null or c.queue = end_stats.queue)
  ), summed as (
    select
      c.name,
      sum(c.jobs) as jobs,
      sum(c.jobs) filter (where c.state = 'completed') as completed,
      sum(c.jobs) filter (where c.state = 'rejected') as rejected,
      sum(c.jobs) filter (where c.state = 'cancelled') as cancelled,
      sum(c.jobs) filter (where c.state = 'dead') as dead,
      sum(c.retried) as retried,
      sum(c.retried) filter (where c.state = 'completed') as retried_completed
    from chosen as c
    group by c.name
  ), buckets as (
    select c.name, k.kind, jsonb_object_agg(k.tenth, k.jobs) as tens
    from (
      select c.name, 'wait' as kind, e.key as tenth, sum(e.value::bigint) as jobs from chosen as c, jsonb_each_text(c.wait_tens) as e group by 1, 2, 3
      union all
      select c.name, 'run', e.key, sum(e.value::bigint) from chosen as c, jsonb_each_text(c.run_tens) as e group by 1, 2, 3
    ) as k
    join (select distinct name from chosen) as c on c.name = k.name
    group by c.name, k.kind
  )
  select
    s.name, s.jobs, coalesce(s.completed, 0), coalesce(s.rejected, 0), coalesce(s.cancelled, 0), coalesce(s.dead, 0),
    s.retried, coalesce(s.retried_completed, 0),
    s.jobs / (extract(epoch from case when by_what = 'hour' then interval '1 hour' else since end)::double precision / 60),
    holdfast.tenth_percentile(w.tens, 0.5), holdfast.tenth_percentile(w.tens, 0.95), holdfast.tenth_percentile(w.tens, 0.99),
    holdfast.tenth_percentile(r.tens, 0.5), holdfast.tenth_percentile(r.tens, 0.95), holdfast.tenth_percentile(r.tens, 0.99)
  from summed as s
  left join buckets as w on w.name = s.name and w.kind = 'wait'
  left join buckets as r on r.name = s.name and r.kind = 'run'
  order by s.name
$$;
comment on function holdfast.end_stats(interval, text, text) is 'What ended in a span of time, by queue, task or hour.';
