-- Charges what the attempt of a locked job used to the job, its run and its endpoint, and gives its permit back.
-- For ends that say nothing about the endpoint; what the caller writes afterwards takes the job as it is returned.
create or replace function holdfast.charge_attempt(inout job holdfast.jobs, used double precision)
language plpgsql volatile
as $$
begin
  job := holdfast.charge_units(job, used);
  perform holdfast.give_permit_back(job, used);
  job.in_flight_at_start := null;
end
$$;
comment on function holdfast.charge_attempt(holdfast.jobs, double precision)
  is 'Charges what the attempt of a locked job used to the job, its run and its endpoint, and gives its permit back.';
