-- Gives the estimate of a call back to the rate clock, because the endpoint did no work for it.
create or replace function holdfast.refund(inout e holdfast.endpoints, estimate double precision)
language plpgsql immutable
as $$
begin
  if e.rate is not null then
    e.rate_clock := e.rate_clock - holdfast.call_amount(null, estimate) / e.rate;
  end if;
end
$$;
