-- Trace contexts of jobs, as read_trace returns each.
create or replace function holdfast.read_traces(traces jsonb[])
returns jsonb[]
language sql immutable
as $$
  select array_agg(holdfast.read_trace(t) order by i) from unnest(traces) with ordinality as u (t, i)
$$;
