-- When the previous try of this generation and stage visit ended; null if none is recorded. One index row.
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
