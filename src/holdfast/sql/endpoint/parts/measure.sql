-- Adds one success to the latency means: per unit as soon as units or an estimate are known, until then in seconds.
create or replace function holdfast.measure(
  inout e holdfast.endpoints, now double precision, started double precision, amount double precision,
  out y double precision
)
language plpgsql immutable
as $$
declare
  span double precision;
begin
  if amount is null and e.by_units then
    return;
  end if;
  if e.by_units is null or amount is not null and not e.by_units then
    e.by_units := amount is not null;
    e.tolerance := case when e.by_units then 1.2 else 1.5 end;
    e.samples := 0;
    e.recent := null;
    e.base := null;
  end if;
  y := ln(greatest(0.05, now - started) / case when amount is null then 1 else amount + 100 end);
  e.samples := e.samples + 1;
  if e.recent is null then
    e.recent := y;
    e.base := y;
    return;
  end if;
  span := greatest(case when e.by_units then 8 else 24 end, e.limit);
  e.recent := e.recent + (y - e.recent) * greatest(2 / (span + 1), 1.0 / e.samples);
  if e.samples <= 5 or e.recent < e.base then
    e.base := e.recent;
  else
    e.base := e.base + 0.0003 * (e.recent - e.base);
  end if;
end
$$;
