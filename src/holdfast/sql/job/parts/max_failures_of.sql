-- How many failures make a job dead: the job's own setting, else its task's, else its queue's, else 3.
create or replace function holdfast.max_failures_of(job holdfast.jobs)
returns integer
language sql stable
as $$
  select coalesce(
    job.max_failures,
    holdfast.retry_tries(job.retry),
    (select coalesce(t.max_failures, holdfast.retry_tries(t.retry)) from holdfast.tasks as t where t.name = job.task),
    (select coalesce(q.max_failures, holdfast.retry_tries(q.retry)) from holdfast.queues as q where q.name = job.queue),
    3
  )
$$;
