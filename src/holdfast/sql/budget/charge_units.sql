-- Adds what the attempt of a locked job used to the job, and charges it to its run's budget.
create or replace function holdfast.charge_units(inout job holdfast.jobs, used double precision)
language plpgsql volatile
as $$
begin
  job.units := coalesce(coalesce(job.units, 0) + used, job.units);
  if job.reserved is not null then
    perform holdfast.record_cost(job.run_id, coalesce(job.permit_lane, job.lane), used);
  end if;
end
$$;
comment on function holdfast.charge_units(holdfast.jobs, double precision) is 'Adds what the attempt of a locked job used to the job and to its run.';
