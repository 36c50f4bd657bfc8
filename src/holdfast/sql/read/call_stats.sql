-- Returns how models and tools were called lately: counts, units, cost and time.
-- by_what: model, tool, task (both kinds, by the task of the job) or stage. since and is_partial as for
-- end_stats.
create or replace function holdfast.call_stats(since interval default '1 hour', by_what text default 'model',
  queue text default null, task text default null)
returns table (
  name text, calls bigint, errors bigint, units double precision, cost double precision, seconds double precision,
  mean interval, p50 interval, p95 interval, p99 interval, is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  span constant interval := least(greatest(since, '1 minute'), '366 days');
begin
  if by_what not in ('model', 'tool', 'task', 'stage') then
    perform holdfast.refuse('HF002', format('by_what must be model, tool, task or stage (got %s).', by_what),
      'The default is model.');
  end if;
  return query
    with chosen as materialized (
      select
        case by_what
          when 'task' then c.task
          when 'stage' then concat_ws('/', nullif(c.pipeline, ''), c.stage)
          else c.name
        end as name,
        c.state, c.jobs, c.units, c.cost, c.run_seconds, c.run_tens
      from holdfast.end_counts as c
      where c.is_hour = any (array[false, true])
        and c.minute >= holdfast.now() - span
        and c.what = 'call'
        and (by_what not in ('model', 'tool') or c.state in (by_what, by_what || '_error'))
        and (by_what <> 'stage' or c.stage <> '')
        and (call_stats.queue is null or c.queue = call_stats.queue)
        and (call_stats.task is null or c.task = call_stats.task)
      order by c.minute desc
      limit 200000
    ), summed as (
      select
        c.name, sum(c.jobs) as calls, coalesce(sum(c.jobs) filter (where c.state like '%error'), 0) as errors,
        sum(c.units) as units, sum(c.cost) as cost, sum(c.run_seconds) as seconds,
        holdfast.sum_tens(array_agg(c.run_tens)) as tens
      from chosen as c
      group by c.name
    )
    select
      s.name, s.calls::bigint, s.errors::bigint, s.units, s.cost, s.seconds, holdfast.bucket_mean(s.seconds, s.tens),
      holdfast.bucket_percentile(s.tens, 0.5), holdfast.bucket_percentile(s.tens, 0.95),
      holdfast.bucket_percentile(s.tens, 0.99), (select count(*) = 200000 from chosen)
    from summed as s
    order by s.name;
end
$$;
