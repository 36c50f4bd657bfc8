-- A call succeeded: delivery, circuit, then the limit by the endpoint's mode.
create or replace function holdfast.call_ok(
  inout e holdfast.endpoints, now double precision, u double precision, started double precision, at_start integer,
  was_probe boolean, estimate double precision, units double precision
)
language plpgsql immutable
as $$
declare
  running constant integer := e.in_flight;
begin
  e := holdfast.leave_call(e, was_probe, estimate);
  e.streak := 0;
  e.last_ok := now;
  e.evidence := greatest(0, e.evidence - 0.33);
  e := holdfast.deliver(e, now, estimate, units);
  if e.circuit <> 'closed' then
    e := holdfast.close_circuit(e, now);
  end if;
  case e.mode
    when 'flow' then
      e := holdfast.steer(e, now, u, started, at_start, running, coalesce(units, estimate));
    when 'aimd' then
      e := holdfast.count_aimd(e, true);
    when 'aimd_simple' then
      e := holdfast.count_aimd_simple(e, true);
    else
      null;
  end case;
end
$$;
