-- A call got a good answer, but its attempt failed (a bad request, an error of the handler): the endpoint is up.
create or replace function holdfast.call_answered(
  inout e holdfast.endpoints, now double precision, was_probe boolean, estimate double precision
)
language plpgsql immutable
as $$
begin
  e := holdfast.call_void(e, was_probe, estimate);
  e.streak := 0;
  e.last_ok := now;
  if e.circuit <> 'closed' then
    e := holdfast.close_circuit(e, now);
  end if;
end
$$;
