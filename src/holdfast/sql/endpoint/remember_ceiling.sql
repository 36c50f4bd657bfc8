-- Remembers the level at which errors appeared, for longer each time it is hit again.
create or replace function holdfast.remember_ceiling(inout e holdfast.endpoints, now double precision, u double precision, at_start integer)
language plpgsql immutable
as $$
begin
  if e.limit >= e.ceiling then
    e.ceiling_k := least(4, e.ceiling_k + 1);
  elsif now < e.ceiling_until and e.ceiling is not null then
    -- Below a ceiling that still holds errors are no news of it; those by chance would bring it ever lower.
    return;
  elsif now - e.last_cut > 60 then
    e.ceiling_k := 0;
  elsif e.limit < e.slow_start_until then
    -- Still on the way back from the last cut: the level says nothing. Once it is back, errors that come again do:
    -- without that a hard edge is hit every half minute.
    return;
  end if;
  e.ceiling := greatest(at_start, 0.8 * e.limit, 2);
  e.ceiling_until := now + least(600, 60 * power(2, e.ceiling_k)) * holdfast.jitter(u);
end
$$;
comment on function holdfast.remember_ceiling(holdfast.endpoints, double precision, double precision, integer) is 'Remembers the level at which errors appeared.';
