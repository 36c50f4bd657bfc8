-- Gives the permit of a locked job back, if it still holds one, with what its attempt used and no word about the endpoint.
create or replace function holdfast.give_permit_back(job holdfast.jobs, units double precision)
returns void
language plpgsql volatile
as $$
begin
  if job.in_flight_at_start is not null then
    perform holdfast.settle_permits(holdfast.permit_of(job, units), false);
  end if;
end
$$;
comment on function holdfast.give_permit_back(holdfast.jobs, double precision) is 'Gives the permit of a locked job back, if it still holds one.';
