-- Blocked until Retry-After; the rate is cut at most once in 15 s, and only for a call that began since the last cut.
create or replace function holdfast.throttle(inout e holdfast.endpoints, now double precision, u double precision, started double precision, estimate double precision, wait double precision)
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
  -- One such call in ten minutes at least: the rate can never be 0.
  e.peak := greatest(holdfast.call_amount(null, estimate) / 600, e.peak);
  e.rate := 0.85 * e.peak;
  e.last_rate_cut := now;
  e.rate_clock := greatest(e.rate_clock, now);
end
$$;
comment on function holdfast.throttle(holdfast.endpoints, double precision, double precision, double precision, double precision, double precision) is 'Blocks an endpoint and cuts its rate after a rate-limited answer.';
