-- What the recorded calls of a running attempt have used: all that is known of one that ends without its worker. Null: none was recorded.
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
comment on function holdfast.recorded_units(holdfast.jobs) is 'What the recorded calls of a running attempt have used; null if none was recorded.';
