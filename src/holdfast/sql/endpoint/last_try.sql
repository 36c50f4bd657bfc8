-- When the try before the present one ended, in this generation and stage visit; null if none is recorded. One row of one index.
create or replace function holdfast.last_try(job holdfast.jobs)
returns double precision
language sql stable
as $$
  select extract(epoch from a.ended_at)::double precision
  from holdfast.attempts as a
  where a.job_id = job.id
    and a.attempt < job.attempt
    and a.generation = job.generation
    and a.visit = job.visit
  order by a.attempt desc
  limit 1
$$;
comment on function holdfast.last_try(holdfast.jobs) is 'When the last recorded try before the present one ended; null if there was none.';
