-- What a running job has cost when its attempt has ended and used these units; is_ok: its call went well.
create or replace function holdfast.cost_after(job holdfast.jobs, used double precision, is_ok boolean)
returns double precision
language sql stable
as $$
  select coalesce(
    coalesce(job.cost, 0) + holdfast.cost_of_units(
      holdfast.charged_units(
        used, is_ok and job.in_flight_at_start is not null, coalesce(job.reserved_units, job.estimate)),
      coalesce(job.permit_lane, job.lane)),
    job.cost)
$$;
