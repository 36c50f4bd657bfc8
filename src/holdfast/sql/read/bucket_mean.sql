-- The mean of durations whose sum and counted buckets are known; null if there are none.
create or replace function holdfast.bucket_mean(seconds double precision, tens jsonb)
returns interval
language sql stable
as $$
  select make_interval(secs => seconds / nullif(sum(e.value::bigint), 0)::double precision)
  from jsonb_each_text(tens) as e
$$;
