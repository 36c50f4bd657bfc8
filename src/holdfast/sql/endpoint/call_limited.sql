-- A call was answered with too many: blocked until told, the rate perhaps cut; the endpoint is alive.
create or replace function holdfast.call_limited(inout e holdfast.endpoints, now double precision, u double precision, started double precision, was_probe boolean, estimate double precision, wait double precision)
language plpgsql immutable
as $$
begin
  e := holdfast.leave_call(e, was_probe, estimate);
  e := holdfast.refund(e, estimate);
  if e.circuit = 'half_open' and was_probe then
    e := holdfast.close_circuit(e, now);
  end if;
  e := holdfast.throttle(e, now, u, started, estimate, wait);
end
$$;
comment on function holdfast.call_limited(holdfast.endpoints, double precision, double precision, double precision, boolean, double precision, double precision) is 'What a rate-limited answer does to an endpoint.';
