-- A call ends: gives its permit back, and the place of a probe.
create or replace function holdfast.leave_call(inout e holdfast.endpoints, was_probe boolean, estimate double precision)
language plpgsql immutable
as $$
begin
  e.in_flight := e.in_flight - 1;
  e.reserved := greatest(0, e.reserved - coalesce(estimate, 0));
  -- A probe of an earlier half-open phase may end late: the count never goes below 0.
  if was_probe and e.circuit = 'half_open' then
    e.probes := greatest(0, e.probes - 1);
  end if;
end
$$;
