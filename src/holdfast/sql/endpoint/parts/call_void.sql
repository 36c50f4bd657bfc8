-- A call that says nothing about the endpoint (a handler's own error, lost, released): gives permit and estimate back.
create or replace function holdfast.call_void(inout e holdfast.endpoints, was_probe boolean, estimate double precision)
language plpgsql immutable
as $$
begin
  e := holdfast.leave_call(e, was_probe, estimate);
  e := holdfast.refund(e, estimate);
end
$$;
