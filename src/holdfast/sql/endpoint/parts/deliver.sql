-- A success: adds its units to those delivered, corrects the estimate in the rate clock, then raises the rate.
create or replace function holdfast.deliver(
  inout e holdfast.endpoints, now double precision, estimate double precision, units double precision
)
language plpgsql immutable
as $$
declare
  used constant double precision := holdfast.call_amount(units, estimate);
  x    double precision;
begin
  if e.delivered_since is null then
    e.delivered_since := now;
    e.delivered_at := now;
  end if;
  e.delivered_sum := e.delivered_sum * holdfast.faded(now - e.delivered_at) + used;
  e.delivered_at := now;
  if e.rate is null then
    return;
  end if;
  e.rate_clock := e.rate_clock + (used - holdfast.call_amount(null, estimate)) / e.rate;
  if e.last_rate_cut is null then
    return;
  end if;
  x := (now - e.last_rate_cut) / 45 - 1;
  e.rate := e.peak * (1 + 0.15 * x * x * x);
  if x > 0 then
    e.rate := greatest(e.peak, least(e.rate, 1.5 * holdfast.delivered(e, now)));
  end if;
  e.rate := least(e.rate, coalesce(e.static_rate, e.rate));
  if now - e.last_rate_cut > 180 and e.rate_clock <= now then
    e.rate := e.static_rate;
    e.last_rate_cut := null;
  end if;
end
$$;
