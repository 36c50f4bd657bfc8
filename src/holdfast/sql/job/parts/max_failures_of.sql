-- How many failures make a job dead: the job's own setting, else its task's, else its queue's, else 3.
create or replace function holdfast.max_failures_of(job holdfast.jobs)
returns integer
language sql stable
as $$
  select coalesce(
    job.max_failures,
    holdfast.retry_tries(job.retry),
    (select s.most from holdfast.failure_settings(job.task, job.queue) as s),
    3
  )
$$;
