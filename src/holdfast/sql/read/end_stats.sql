-- Returns counts, retries, units, cost, means and percentiles of what ended lately: jobs, and visits of stages.
-- by_what: queue, task, stage, label, hour or all. since reaches back 1 minute to 1 year, as far as figures are kept.
-- jobs counts jobs that ended and stages that jobs left for the next one (advanced). failed and lost count attempts.
-- retried counts ends that needed more than one attempt, retries these attempts. Percentiles are upper edges of
-- buckets, each about a quarter wider than the one before. is_partial: there is more than the newest 200,000 counts,
-- which were looked at; a queue, a task or a shorter period has fewer.
create or replace function holdfast.end_stats(since interval default '1 hour', by_what text default 'queue',
  queue text default null, task text default null)
returns table (
  name text, jobs bigint, completed bigint, rejected bigint, cancelled bigint, dead bigint, retried bigint,
  retried_completed bigint, per_minute double precision, wait_p50 interval, wait_p95 interval, wait_p99 interval,
  run_p50 interval, run_p95 interval, run_p99 interval, advanced bigint, failed bigint, lost bigint, retries bigint,
  units double precision, cost double precision, wait_mean interval, run_mean interval, is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  span constant interval := least(greatest(since, '1 minute'), '366 days');
begin
  if by_what not in ('queue', 'task', 'stage', 'label', 'hour', 'all') then
    perform holdfast.refuse('HF002',
      format('by_what must be queue, task, stage, label, hour or all (got %s).', by_what), 'The default is queue.');
  end if;
  return query
    with chosen as materialized (
      select
        case by_what
          when 'queue' then c.queue
          when 'task' then c.task
          when 'stage' then concat_ws('/', nullif(c.pipeline, ''), c.stage)
          when 'label' then c.name
          when 'hour' then to_char(c.minute at time zone 'UTC', 'YYYY-MM-DD"T"HH24":00Z"')
          else 'all'
        end as name,
        case c.what when 'attempt' then 'attempt' else 'end' end as what,
        c.state, c.jobs, c.retried, c.retries, c.units, c.cost, c.wait_seconds, c.run_seconds, c.wait_tens, c.run_tens
      from holdfast.end_counts as c
      where c.is_hour = any (array[false, true])
        and c.minute >= holdfast.now() - span
        and c.what = any (case by_what when 'label' then array['label'] else array['end', 'attempt'] end)
        and (end_stats.queue is null or c.queue = end_stats.queue)
        and (end_stats.task is null or c.task = end_stats.task)
        and (by_what <> 'stage' or c.stage <> '')
      order by c.minute desc
      limit 200000
    ), summed as (
      select
        c.name, coalesce(sum(c.jobs) filter (where c.what = 'end'), 0) as jobs,
        coalesce(sum(c.jobs) filter (where c.state = 'completed'), 0) as completed,
        coalesce(sum(c.jobs) filter (where c.state = 'rejected'), 0) as rejected,
        coalesce(sum(c.jobs) filter (where c.state = 'cancelled'), 0) as cancelled,
        coalesce(sum(c.jobs) filter (where c.state = 'dead'), 0) as dead,
        coalesce(sum(c.jobs) filter (where c.state = 'advanced'), 0) as advanced,
        coalesce(sum(c.jobs) filter (where c.state in ('failed', 'timed_out')), 0) as failed,
        coalesce(sum(c.jobs) filter (where c.state = 'lost'), 0) as lost,
        sum(c.retried) as retried,
        coalesce(sum(c.retried) filter (where c.state in ('completed', 'advanced')), 0) as retried_completed,
        sum(c.retries) as retries, sum(c.units) as units, sum(c.cost) as cost,
        sum(c.wait_seconds) as wait_seconds,
        sum(c.run_seconds) filter (where c.what = 'end') as run_seconds
      from chosen as c
      group by c.name
    ), tens as (
      select
        c.name, holdfast.sum_tens(array_agg(c.wait_tens)) as wait, holdfast.sum_tens(array_agg(c.run_tens)) as run
      from chosen as c
      where c.what = 'end'
      group by c.name
    )
    select
      s.name, s.jobs::bigint, s.completed::bigint, s.rejected::bigint, s.cancelled::bigint, s.dead::bigint,
      s.retried::bigint, s.retried_completed::bigint,
      60 * s.jobs::double precision
        / extract(epoch from case by_what when 'hour' then least(span, '1 hour') else span end)::double precision,
      holdfast.bucket_percentile(t.wait, 0.5), holdfast.bucket_percentile(t.wait, 0.95),
      holdfast.bucket_percentile(t.wait, 0.99), holdfast.bucket_percentile(t.run, 0.5),
      holdfast.bucket_percentile(t.run, 0.95), holdfast.bucket_percentile(t.run, 0.99),
      s.advanced::bigint, s.failed::bigint, s.lost::bigint, s.retries::bigint, s.units, s.cost,
      holdfast.bucket_mean(s.wait_seconds, t.wait), holdfast.bucket_mean(s.run_seconds, t.run),
      (select count(*) = 200000 from chosen)
    from summed as s
    left join tens as t on t.name = s.name
    order by s.name;
end
$$;
