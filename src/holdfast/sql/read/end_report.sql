-- Returns what ended in a period and in the one before it, counted in one look, so that all of its sums agree.
-- by_what: all, before (the period before), queue, task, stage, slice or model. A slice is numbered from 0, the oldest.
-- jobs counts jobs that ended, advanced stage visits that led to another stage, failed attempts that failed, timed out
-- or were lost. Of a model, jobs counts calls, and failed those that ended in an error. The period ends at until, or
-- with the current minute; since reaches back 1 minute to 30 days. Percentiles are upper edges of buckets. is_partial
-- is true if only the newest 200,000 counts were looked at.
create or replace function holdfast.end_report(since interval default '1 day', slices integer default 48,
  until timestamptz default null)
returns table (
  by_what text, name text, pipeline text, slice integer, jobs bigint, completed bigint, rejected bigint,
  cancelled bigint, dead bigint, advanced bigint, failed bigint, retried bigint, retried_completed bigint,
  units double precision, cost double precision, wait_mean interval, wait_p50 interval, wait_p95 interval,
  wait_p99 interval, run_mean interval, run_p50 interval, run_p95 interval, run_p99 interval, is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  span  constant interval := least(greatest(since, '1 minute'), '30 days');
  ended constant timestamptz := coalesce(until, date_trunc('minute', holdfast.now()) + interval '1 minute');
  step  constant double precision := extract(epoch from span) / least(greatest(slices, 1), 1000);
begin
  return query
    with looked as materialized (
      select
        c.what, c.queue, c.task, c.pipeline, c.stage, c.state, c.name, c.jobs, c.retried, c.units, c.cost,
        c.wait_seconds, c.run_seconds, c.wait_tens, c.run_tens, c.minute >= ended - span as is_now,
        floor(extract(epoch from c.minute - (ended - span)) / step)::integer as slice
      from holdfast.end_counts as c
      where c.is_hour = any (array[false, true])
        and c.minute >= ended - 2 * span and c.minute < ended
        and (c.what in ('end', 'attempt') or c.what = 'call' and c.state in ('model', 'model_error'))
      order by c.minute desc
      limit 200000
    ), grouped as (
      select
        k.by_what, k.name, k.pipeline, k.slice,
        sum(l.jobs) filter (where l.what = 'call' or l.what = 'end' and l.state <> 'advanced') as jobs,
        sum(l.jobs) filter (where l.state = 'completed') as completed,
        sum(l.jobs) filter (where l.state = 'rejected') as rejected,
        sum(l.jobs) filter (where l.state = 'cancelled') as cancelled,
        sum(l.jobs) filter (where l.state = 'dead') as dead,
        sum(l.jobs) filter (where l.state = 'advanced') as advanced,
        sum(l.jobs) filter (where l.state in ('failed', 'timed_out', 'lost', 'model_error')) as failed,
        sum(l.retried) as retried,
        sum(l.retried) filter (where l.state in ('completed', 'advanced')) as retried_completed,
        sum(l.units) as units, sum(l.cost) as cost, sum(l.wait_seconds) as wait_seconds,
        sum(l.run_seconds) filter (where l.what <> 'attempt') as run_seconds,
        holdfast.sum_tens(array_agg(l.wait_tens) filter (where l.what = 'end')) as wait,
        holdfast.sum_tens(array_agg(l.run_tens) filter (where l.what <> 'attempt')) as run
      from looked as l
      cross join lateral (
        values
          ('all', '', '', null, l.is_now and l.what <> 'call'),
          ('before', '', '', null, not l.is_now and l.what <> 'call'),
          ('queue', l.queue, '', null, l.is_now and l.what <> 'call'),
          ('task', l.task, '', null, l.is_now and l.what <> 'call'),
          ('stage', l.stage, l.pipeline, null, l.is_now and l.what <> 'call' and l.stage <> ''),
          ('slice', '', '', l.slice, l.is_now and l.what <> 'call'),
          ('model', l.name, '', null, l.is_now and l.what = 'call')
      ) as k (by_what, name, pipeline, slice, belongs)
      where k.belongs
      group by k.by_what, k.name, k.pipeline, k.slice
    )
    select
      g.by_what, g.name, g.pipeline, g.slice, coalesce(g.jobs, 0)::bigint, coalesce(g.completed, 0)::bigint,
      coalesce(g.rejected, 0)::bigint, coalesce(g.cancelled, 0)::bigint, coalesce(g.dead, 0)::bigint,
      coalesce(g.advanced, 0)::bigint, coalesce(g.failed, 0)::bigint, coalesce(g.retried, 0)::bigint,
      coalesce(g.retried_completed, 0)::bigint, g.units, g.cost,
      holdfast.bucket_mean(g.wait_seconds, g.wait), holdfast.bucket_percentile(g.wait, 0.5),
      holdfast.bucket_percentile(g.wait, 0.95), holdfast.bucket_percentile(g.wait, 0.99),
      holdfast.bucket_mean(g.run_seconds, g.run), holdfast.bucket_percentile(g.run, 0.5),
      holdfast.bucket_percentile(g.run, 0.95), holdfast.bucket_percentile(g.run, 0.99),
      (select count(*) = 200000 from looked)
    from grouped as g
    order by 1, coalesce(g.jobs, 0) + coalesce(g.advanced, 0) desc, g.pipeline, g.name, g.slice;
end
$$;
