-- How often each number from 0 on is in a list, for so many numbers: the trend of attempts by their slice.
create or replace function holdfast.counts_by_slice(slices integer[], many integer)
returns bigint[]
language sql immutable parallel safe
as $$
  select coalesce(array_agg(coalesce(c.number, 0) order by i), '{}')
  from generate_series(0, many - 1) as i
  left join (select s, count(*) as number from unnest(slices) as s group by s) as c on c.s = i
$$;
