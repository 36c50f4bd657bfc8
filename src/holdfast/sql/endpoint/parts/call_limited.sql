-- A call was rate-limited: the endpoint is blocked for its Retry-After, and its rate may be cut. It is up.
create or replace function holdfast.call_limited(
  inout e holdfast.endpoints, now double precision, u double precision, started double precision, was_probe boolean,
  estimate double precision, wait double precision
)
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
