-- What the attempt of a job costs its run, as record_costs takes it.
-- A successful call that reports no units used its estimate; without a call nothing is assumed.
create or replace function holdfast.cost_of(job holdfast.jobs, used double precision, is_ok boolean)
returns jsonb
language sql immutable
as $$
  select jsonb_build_object(
    'run', job.run_id,
    'lane', coalesce(job.permit_lane, job.lane),
    'units', holdfast.charged_units(
      used, is_ok and job.in_flight_at_start is not null, coalesce(job.reserved_units, job.estimate))
  )
$$;
