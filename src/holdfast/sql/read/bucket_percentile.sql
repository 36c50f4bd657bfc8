-- A percentile from counted buckets: the upper edge of the bucket that contains it.
create or replace function holdfast.bucket_percentile(tens jsonb, share double precision)
returns interval
language sql stable
as $$
  select make_interval(secs => power(10, (b.tenth + 1) / 10.0) / 1000)
  from (
    select
      key::integer as tenth,
      sum(value::bigint) over (order by key::integer) as up_to,
      sum(value::bigint) over () as total
    from jsonb_each_text(tens)
  ) as b
  where b.up_to >= share * b.total
  order by b.tenth
  limit 1
$$;
