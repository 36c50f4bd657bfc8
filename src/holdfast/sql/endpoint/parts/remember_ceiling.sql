-- Remembers the limit at which errors appeared, for longer each time it is reached again.
create or replace function holdfast.remember_ceiling(
  inout e holdfast.endpoints, now double precision, u double precision, at_start integer
)
language plpgsql immutable
as $$
begin
  if e.limit >= e.ceiling then
    e.ceiling_k := least(4, e.ceiling_k + 1);
  elsif now < e.ceiling_until and e.ceiling is not null then
    -- Errors below a ceiling that still holds leave it as it is, or random errors would lower it step by step.
    return;
  elsif now - e.last_cut > 60 then
    e.ceiling_k := 0;
  elsif e.limit < e.slow_start_until then
    -- Still in slow start after the last cut: the level says nothing. Errors after slow start do set a ceiling,
    -- or a hard edge would be hit every half minute.
    return;
  end if;
  e.ceiling := greatest(at_start, 0.8 * e.limit, 2);
  e.ceiling_until := now + least(600, 60 * power(2, e.ceiling_k)) * holdfast.jitter(u);
end
$$;
