-- The signal for a wait of this stage visit: the one that the visit has taken, else the first that is not taken.
create or replace function holdfast.find_signal(job holdfast.jobs, name text)
returns setof holdfast.signals
language sql stable
as $$
  select s.*
  from holdfast.signals as s
  where s.job_id = job.id
    and s.name = find_signal.name
    and (s.taken_visit is null or s.taken_generation = job.generation and s.taken_visit = job.visit)
  order by s.taken_visit nulls last, s.id
  limit 1
$$;
