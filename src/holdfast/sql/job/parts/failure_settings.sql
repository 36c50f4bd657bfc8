-- The retry policy, and the number of failures that make a job dead, that a task has, else its queue.
create or replace function holdfast.failure_settings(of_task text, in_queue text, out retry jsonb, out most integer)
language sql stable
as $$
  select
    coalesce(t.retry, q.retry),
    coalesce(t.max_failures, holdfast.retry_tries(t.retry), q.max_failures, holdfast.retry_tries(q.retry))
  from (select) as always
  left join holdfast.tasks as t on t.name = of_task
  left join holdfast.queues as q on q.name = in_queue
$$;
