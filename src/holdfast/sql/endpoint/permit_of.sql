-- The permit of a locked job as settle_permits takes it, with what its attempt used.
create or replace function holdfast.permit_of(job holdfast.jobs, units double precision)
returns double precision[]
language sql immutable
as $$
  select array[array[
    coalesce(job.permit_lane, job.lane), extract(epoch from job.started_at), job.in_flight_at_start, job.is_probe::integer,
    coalesce(job.reserved_units, job.estimate), units
  ]]::double precision[]
$$;
comment on function holdfast.permit_of(holdfast.jobs, double precision) is 'The permit of a locked job as settle_permits takes it.';
