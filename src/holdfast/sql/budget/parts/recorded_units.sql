-- The units of the recorded calls of a running attempt: all that is known if it ends without its worker; null if none.
create or replace function holdfast.recorded_units(job holdfast.jobs)
returns double precision
language sql stable
as $$
  select sum(c.units)
  from holdfast.calls as c
  where c.job_id = job.id
    and c.generation = job.generation
    and c.visit = job.visit
    and c.attempt = job.attempt
    and job.state = 'running'
$$;
