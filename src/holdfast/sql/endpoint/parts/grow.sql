-- Raises the limit a little, but stays below the ceiling while it holds; one step above it the ceiling is forgotten.
create or replace function holdfast.grow(inout e holdfast.endpoints, now double precision)
language plpgsql immutable
as $$
declare
  step double precision;
begin
  step := case when e.limit < e.slow_start_until then 0.5 else 1 / greatest(4, e.limit) end;
  if e.limit + step >= e.ceiling then
    if now < e.ceiling_until then
      step := greatest(0, least(step, e.ceiling - 0.01 - e.limit));
    elsif e.limit + step >= e.ceiling + 1 then
      e.ceiling := null;
      e.ceiling_k := 0;
    end if;
  end if;
  e.limit := least(e.max_limit, e.limit + step);
end
$$;
