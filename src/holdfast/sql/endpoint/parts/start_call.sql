-- A call starts: one more in flight, its estimate reserved, the rate clock advanced.
create or replace function holdfast.start_call(
  inout e holdfast.endpoints, now double precision, estimate double precision, probes boolean
)
language plpgsql immutable
as $$
begin
  e.in_flight := e.in_flight + 1;
  e.starts := e.starts + 1;
  e.second_started := e.second_started + 1;
  e.reserved := e.reserved + coalesce(estimate, 0);
  if probes then
    if e.circuit = 'open' then
      e.circuit := 'half_open';
      e.probes := 0;
    end if;
    e.probes := e.probes + 1;
    e.last_probe := now;
  end if;
  if e.rate is not null then
    e.rate_clock := least(now + 15, greatest(e.rate_clock, now) + holdfast.call_amount(null, estimate) / e.rate);
  end if;
end
$$;
