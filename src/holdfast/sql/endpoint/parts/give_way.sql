-- Too slow: lowers the limit a little. If 60 % of it is as slow, load is not the cause: that latency is the new base.
create or replace function holdfast.give_way(inout e holdfast.endpoints, s double precision)
language plpgsql immutable
as $$
begin
  if e.slow_limit is null then
    e.slow_limit := e.limit;
    e.slow_s := s;
  end if;
  e.limit := greatest(e.min_limit, e.limit - (1 - e.tolerance / s));
  e.slow_start_until := least(e.slow_start_until, e.limit);
  if e.limit <= 0.6 * e.slow_limit and s > 0.85 * e.slow_s then
    e.base := e.recent;
    e.slow_start_until := e.slow_limit;
    e.slow_limit := null;
    e.slow_s := null;
  end if;
end
$$;
