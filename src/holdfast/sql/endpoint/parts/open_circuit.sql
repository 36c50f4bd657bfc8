-- closed | half_open -> open: for open_for seconds.
create or replace function holdfast.open_circuit(inout e holdfast.endpoints, now double precision, u double precision)
language plpgsql immutable
as $$
begin
  e.circuit := 'open';
  e.open_until := now + e.open_for * holdfast.jitter(u);
end
$$;
