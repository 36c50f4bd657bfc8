-- Charges what the attempt of a locked job used to the job, its run and its endpoint, and gives its permit back.
-- For ends that say nothing about the endpoint. The caller continues with the returned row.
create or replace function holdfast.charge_attempt(inout job holdfast.jobs, used double precision)
language plpgsql volatile
as $$
begin
  job := holdfast.charge_units(job, used);
  if job.in_flight_at_start is not null then
    perform holdfast.settle_permits(array[holdfast.permit_of(job, used)], false);
    job.in_flight_at_start := null;
  end if;
end
$$;
