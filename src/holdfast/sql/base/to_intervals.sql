-- Seconds as durations; raises an error as read_interval does.
create or replace function holdfast.to_intervals(seconds double precision[])
returns interval[]
language sql stable parallel safe
as $$
  select array_agg(
    case when abs(s) <= 31104000000 then make_interval(secs => s) else holdfast.read_interval(to_jsonb(s)) end
    order by i
  )
  from unnest(seconds) with ordinality as u (s, i)
$$;
