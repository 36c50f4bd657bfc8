-- closed | half_open -> open, for as long as open_for says.
create or replace function holdfast.open_circuit(inout e holdfast.endpoints, now double precision, u double precision)
language plpgsql immutable
as $$
begin
  e.circuit := 'open';
  e.open_until := now + e.open_for * holdfast.jitter(u);
end
$$;
comment on function holdfast.open_circuit(holdfast.endpoints, double precision, double precision) is 'Opens the circuit.';
