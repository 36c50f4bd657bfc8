-- open | half_open -> closed: resets the circuit. last_cut = now, so that calls from the outage are no evidence.
create or replace function holdfast.close_circuit(inout e holdfast.endpoints, now double precision)
language plpgsql immutable
as $$
begin
  e.circuit := 'closed';
  e.probes := 0;
  e.open_for := e.open_first;
  e.streak := 0;
  e.evidence := 0;
  e.blocked_until := now;
  e.last_cut := now;
  if e.mode = 'flow' then
    e.limit := holdfast.clamp_limit(e, greatest(2, 0.5 * e.before));
    e.slow_start_until := e.before;
  end if;
end
$$;
