-- What a running job has cost when its call has gone well and used these units.
create or replace function holdfast.cost_after_call(job holdfast.jobs, used double precision)
returns double precision
language sql stable
as $$
  select coalesce(
    coalesce(job.cost, 0) + holdfast.cost_of_units(
      holdfast.charged_units(
        used, job.in_flight_at_start is not null, coalesce(job.reserved_units, job.estimate)),
      coalesce(job.permit_lane, job.lane)),
    job.cost)
$$;
