-- Adds the units of an attempt and their cost to its locked job, and charges them to the budget of its run.
create or replace function holdfast.charge_units(inout job holdfast.jobs, used double precision)
language plpgsql volatile
as $$
begin
  job.units := coalesce(coalesce(job.units, 0) + used, job.units);
  if used <> 0 then
    job.cost := holdfast.cost_after(job, used, false);
  end if;
  if job.reserved is not null then
    perform holdfast.record_costs(jsonb_build_array(holdfast.cost_of(job, used, false)));
  end if;
end
$$;
