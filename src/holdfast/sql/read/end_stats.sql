-- Returns counts, retries and percentiles of waiting and running time for jobs that ended lately.
-- by_what: queue, task, hour or all. since reaches back 1 minute to 7 days. Percentiles are upper edges of buckets,
-- each about a quarter wider than the one before. retried counts jobs that needed more than one attempt.
create or replace function holdfast.end_stats(since interval default '1 hour', by_what text default 'queue',
  queue text default null, task text default null)
returns table (
  name text, jobs bigint, completed bigint, rejected bigint, cancelled bigint, dead bigint, retried bigint,
  retried_completed bigint, per_minute double precision, wait_p50 interval, wait_p95 interval, wait_p99 interval,
  run_p50 interval, run_p95 interval, run_p99 interval
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  span constant interval := least(greatest(since, '1 minute'), '7 days');
begin
  if by_what not in ('queue', 'task', 'hour', 'all') then
    perform holdfast.refuse('HF002', format('by_what must be queue, task, hour or all (got %s).', by_what),
      'The default is queue.');
  end if;
  return query
    with chosen as materialized (
      select
        case by_what
          when 'queue' then c.queue
          when 'task' then c.task
          when 'hour' then to_char(c.minute at time zone 'UTC', 'YYYY-MM-DD"T"HH24":00Z"')
          else 'all'
        end as name,
        c.state, c.jobs, c.retried, c.wait_tens, c.run_tens
      from holdfast.end_counts as c
      where c.minute >= holdfast.now() - span
        and (end_stats.queue is null or c.queue = end_stats.queue)
        and (end_stats.task is null or c.task = end_stats.task)
      order by c.minute desc
      limit 200000
    ), summed as (
      select
        c.name, sum(c.jobs) as jobs,
        coalesce(sum(c.jobs) filter (where c.state = 'completed'), 0) as completed,
        coalesce(sum(c.jobs) filter (where c.state = 'rejected'), 0) as rejected,
        coalesce(sum(c.jobs) filter (where c.state = 'cancelled'), 0) as cancelled,
        coalesce(sum(c.jobs) filter (where c.state = 'dead'), 0) as dead,
        sum(c.retried) as retried,
        coalesce(sum(c.retried) filter (where c.state = 'completed'), 0) as retried_completed
      from chosen as c
      group by c.name
    ), tens as (
      select t.name, jsonb_object_agg(t.tenth, t.jobs) filter (where t.kind = 'wait') as wait,
        jsonb_object_agg(t.tenth, t.jobs) filter (where t.kind = 'run') as run
      from (
        select c.name, k.kind, e.key as tenth, sum(e.value::bigint) as jobs
        from chosen as c
        cross join lateral (values ('wait', c.wait_tens), ('run', c.run_tens)) as k (kind, tens)
        cross join lateral jsonb_each_text(k.tens) as e
        group by 1, 2, 3
      ) as t
      group by t.name
    )
    select
      s.name, s.jobs::bigint, s.completed::bigint, s.rejected::bigint, s.cancelled::bigint, s.dead::bigint,
      s.retried::bigint, s.retried_completed::bigint,
      60 * s.jobs::double precision
        / extract(epoch from case by_what when 'hour' then least(span, '1 hour') else span end)::double precision,
      holdfast.bucket_percentile(t.wait, 0.5), holdfast.bucket_percentile(t.wait, 0.95),
      holdfast.bucket_percentile(t.wait, 0.99), holdfast.bucket_percentile(t.run, 0.5),
      holdfast.bucket_percentile(t.run, 0.95), holdfast.bucket_percentile(t.run, 0.99)
    from summed as s
    left join tens as t on t.name = s.name
    order by s.name;
end
$$;
