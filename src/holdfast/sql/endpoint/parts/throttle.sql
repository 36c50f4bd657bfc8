-- Blocks for the Retry-After and cuts the rate, once in 15 s at most and only for a call that started after the last
-- cut.
create or replace function holdfast.throttle(
  inout e holdfast.endpoints, now double precision, u double precision, started double precision,
  estimate double precision, wait double precision
)
language plpgsql immutable
as $$
begin
  e.blocked_until := greatest(e.blocked_until, now + wait * (1 + 0.1 * u));
  if not (started > e.last_rate_cut and now - e.last_rate_cut > 15) then
    return;
  end if;
  if e.rate is null then
    e.peak := coalesce(nullif(holdfast.delivered(e, now), 0), holdfast.call_amount(null, estimate) / greatest(1, wait));
  else
    e.peak := least(e.rate, 1.1 * holdfast.delivered(e, now));
  end if;
  -- At least one such call in ten minutes, so that the rate is never 0.
  e.peak := greatest(holdfast.call_amount(null, estimate) / 600, e.peak);
  e.rate := 0.85 * e.peak;
  e.last_rate_cut := now;
  e.rate_clock := greatest(e.rate_clock, now);
end
$$;
