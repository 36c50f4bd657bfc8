-- Returns the ends of a period and of the period before it, counted in one look, so that all of its sums agree.
-- by_what: all, before (the period before), queue, task or slice; a slice is numbered from 0, the oldest. The period
-- ends at until, or with the current minute. since reaches back 1 minute to 7 days. Percentiles are upper edges of
-- buckets. is_partial is true if only the newest 200,000 counts were looked at.
create or replace function holdfast.end_report(since interval default '1 day', slices integer default 48,
  until timestamptz default null)
returns table (
  by_what text, name text, slice integer, jobs bigint, completed bigint, rejected bigint, cancelled bigint, dead bigint,
  retried bigint, retried_completed bigint, wait_p50 interval, wait_p95 interval, wait_p99 interval, run_p50 interval,
  run_p95 interval, run_p99 interval, is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  span  constant interval := least(greatest(since, '1 minute'), '7 days');
  ended constant timestamptz := coalesce(until, date_trunc('minute', holdfast.now()) + interval '1 minute');
  step  constant double precision := extract(epoch from span) / least(greatest(slices, 1), 1000);
begin
  return query
    with looked as materialized (
      select
        c.queue, c.task, c.state, c.jobs, c.retried, c.wait_tens, c.run_tens, c.minute >= ended - span as is_now,
        floor(extract(epoch from c.minute - (ended - span)) / step)::integer as slice
      from holdfast.end_counts as c
      where c.minute >= ended - 2 * span and c.minute < ended
      order by c.minute desc
      limit 200000
    ), counted as (
      select
        grouping(l.is_now, l.queue, l.task, l.slice) as kind, l.is_now, coalesce(l.queue, l.task, '') as name,
        coalesce(l.slice, -1) as slice,
        sum(l.jobs)::bigint as jobs,
        coalesce(sum(l.jobs) filter (where l.state = 'completed'), 0)::bigint as completed,
        coalesce(sum(l.jobs) filter (where l.state = 'rejected'), 0)::bigint as rejected,
        coalesce(sum(l.jobs) filter (where l.state = 'cancelled'), 0)::bigint as cancelled,
        coalesce(sum(l.jobs) filter (where l.state = 'dead'), 0)::bigint as dead,
        sum(l.retried)::bigint as retried,
        coalesce(sum(l.retried) filter (where l.state = 'completed'), 0)::bigint as retried_completed
      from looked as l
      group by grouping sets ((l.is_now), (l.is_now, l.queue), (l.is_now, l.task), (l.is_now, l.slice))
    ), tens as (
      select t.kind, t.is_now, t.name, t.slice,
        jsonb_object_agg(t.tenth, t.jobs) filter (where t.of = 'wait') as wait,
        jsonb_object_agg(t.tenth, t.jobs) filter (where t.of = 'run') as run
      from (
        select
          grouping(l.is_now, l.queue, l.task, l.slice) as kind, l.is_now, coalesce(l.queue, l.task, '') as name,
          coalesce(l.slice, -1) as slice, k.of, e.key as tenth, sum(e.value::bigint) as jobs
        from looked as l
        cross join lateral (values ('wait', l.wait_tens), ('run', l.run_tens)) as k (of, tens)
        cross join lateral jsonb_each_text(k.tens) as e
        group by k.of, e.key,
          grouping sets ((l.is_now), (l.is_now, l.queue), (l.is_now, l.task), (l.is_now, l.slice))
      ) as t
      group by t.kind, t.is_now, t.name, t.slice
    )
    select
      case c.kind when 3 then 'queue' when 5 then 'task' when 6 then 'slice'
        else case when c.is_now then 'all' else 'before' end end,
      c.name, nullif(c.slice, -1), c.jobs, c.completed, c.rejected, c.cancelled, c.dead, c.retried, c.retried_completed,
      holdfast.bucket_percentile(t.wait, 0.5), holdfast.bucket_percentile(t.wait, 0.95),
      holdfast.bucket_percentile(t.wait, 0.99), holdfast.bucket_percentile(t.run, 0.5),
      holdfast.bucket_percentile(t.run, 0.95), holdfast.bucket_percentile(t.run, 0.99),
      (select count(*) = 200000 from looked)
    from counted as c
    left join tens as t on t.kind = c.kind and t.is_now = c.is_now and t.name = c.name and t.slice = c.slice
    where c.is_now or c.kind = 7
    order by 1, c.jobs desc, c.name, c.slice;
end
$$;
