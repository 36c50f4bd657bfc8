-- How much slower calls are than without load; 1 for a call from before the last cut, which has dealt with it.
create or replace function holdfast.slowdown(e holdfast.endpoints, started double precision)
returns double precision
language sql immutable
as $$
  select case when started < e.last_cut or e.recent is null then 1 else exp(e.recent - e.base) end
$$;
