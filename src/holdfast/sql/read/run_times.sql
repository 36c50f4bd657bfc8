-- Returns how long completed jobs and stages took in these queues: in the last hour, or in 7 days if there were none.
-- jobs is the number measured; p50 and p95 are upper edges of buckets, each about a quarter wider than the one before.
create or replace function holdfast.run_times(queues text[], out jobs bigint, out mean interval, out p50 interval,
  out p95 interval)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  since interval;
  tens  jsonb;
begin
  foreach since in array array[interval '1 hour', interval '7 days'] loop
    select jsonb_object_agg(t.tenth, t.n), sum(t.n),
      make_interval(secs => sum(t.n * power(10, (t.tenth::integer + 0.5) / 10.0) / 1000) / sum(t.n))
    into tens, jobs, mean
    from (
      select e.key as tenth, sum(e.value::bigint)::double precision as n
      from holdfast.end_counts as c, lateral jsonb_each_text(c.run_tens) as e
      where c.minute >= holdfast.now() - since
        and not c.is_hour
        and c.what = 'end'
        and c.queue = any (queues)
        and c.state in ('completed', 'advanced')
      group by e.key
    ) as t;
    exit when jobs > 0;
  end loop;
  jobs := coalesce(jobs, 0);
  p50 := holdfast.bucket_percentile(tens, 0.5);
  p95 := holdfast.bucket_percentile(tens, 0.95);
end
$$;
