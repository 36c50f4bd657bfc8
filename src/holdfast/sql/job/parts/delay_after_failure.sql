-- How long a failed job waits: the delay of its retry policy, or the Retry-After if that is longer.
create or replace function holdfast.delay_after_failure(job holdfast.jobs, detail jsonb)
returns interval
language sql volatile
as $$
  select greatest(
    coalesce(holdfast.reported_wait(detail), '0'),
    holdfast.retry_delay(
      coalesce(
        job.retry,
        (select t.retry from holdfast.tasks as t where t.name = job.task),
        (select q.retry from holdfast.queues as q where q.name = job.queue),
        holdfast.retry_policy('"default"')
      ),
      job.failures,
      random()
    )
  )
$$;
