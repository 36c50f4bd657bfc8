-- Returns how long completed jobs and stages took in these queues: in the last hour, or since the
-- beginning if none completed then.
-- jobs is the number measured; p50 and p95 are upper edges of buckets, each about a quarter wider than the one before.
create or replace function holdfast.run_times(queues text[], out jobs bigint, out mean interval, out p50 interval,
  out p95 interval)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  is_recent boolean;
  tens      jsonb;
begin
  foreach is_recent in array array[true, false] loop
    select jsonb_object_agg(t.tenth, t.n), sum(t.n),
      make_interval(secs => sum(t.n * power(10, (t.tenth::integer + 0.5) / 10.0) / 1000) / sum(t.n))
    into tens, jobs, mean
    from (
      select e.key as tenth, sum(e.value::bigint)::double precision as n
      from (
        select c.run_tens
        from holdfast.end_counts as c
        where is_recent
          and c.minute >= holdfast.now() - interval '1 hour'
          and not c.is_hour
          and c.what = 'end'
          and c.queue = any (queues)
          and c.state in ('completed', 'advanced')
        union all
        -- Not the minutes of some days: they are those of all queues.
        select t.run_tens
        from holdfast.end_totals as t
        where not is_recent
          and t.what = 'end'
          and t.queue = any (queues)
          and t.state in ('completed', 'advanced')
      ) as c
      cross join lateral jsonb_each_text(c.run_tens) as e
      group by e.key
    ) as t;
    exit when jobs > 0;
  end loop;
  jobs := coalesce(jobs, 0);
  p50 := holdfast.bucket_percentile(tens, 0.5);
  p95 := holdfast.bucket_percentile(tens, 0.95);
end
$$;
