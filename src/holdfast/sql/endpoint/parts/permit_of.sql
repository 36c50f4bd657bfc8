-- The permit that a job holds, with the units that its call used.
create or replace function holdfast.permit_of(job holdfast.jobs, used double precision)
returns holdfast.permit
language sql immutable
as $$
  select row(
    coalesce(job.permit_lane, job.lane), extract(epoch from job.started_at), job.in_flight_at_start, job.is_probe,
    coalesce(job.reserved_units, job.estimate), used
  )::holdfast.permit
$$;
