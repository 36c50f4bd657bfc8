-- The sum of counted buckets, less others.
create or replace function holdfast.sum_tens(plus jsonb[], minus jsonb[] default '{}')
returns jsonb
language sql immutable
as $$
  select coalesce(jsonb_object_agg(t.tenth, t.jobs), '{}')
  from (
    select e.key as tenth, sum(s.sign * e.value::bigint) as jobs
    from (
      select 1 as sign, p as tens from unnest(plus) as p
      union all
      select -1, m from unnest(minus) as m
    ) as s
    cross join lateral jsonb_each_text(coalesce(s.tens, '{}')) as e
    group by e.key
    having sum(s.sign * e.value::bigint) <> 0
  ) as t
$$;
