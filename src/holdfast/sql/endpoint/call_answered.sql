-- A call was answered well but came to nothing (a bad request, a handler that failed afterwards): the endpoint is alive.
create or replace function holdfast.call_answered(inout e holdfast.endpoints, now double precision, was_probe boolean, estimate double precision)
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
comment on function holdfast.call_answered(holdfast.endpoints, double precision, boolean, double precision) is 'What a good answer does to an endpoint if the call came to nothing.';
