-- The endpoint did no work for a call: the rate clock goes back.
create or replace function holdfast.refund(inout e holdfast.endpoints, estimate double precision)
language plpgsql immutable
as $$
begin
  if e.rate is not null then
    e.rate_clock := e.rate_clock - holdfast.call_amount(null, estimate) / e.rate;
  end if;
end
$$;
comment on function holdfast.refund(holdfast.endpoints, double precision) is 'Gives the estimate of a call back to the rate.';
