-- The settings of a task, by the keys of declare_task; durations in seconds.
create or replace function holdfast.task_settings(of_task text)
returns jsonb
language sql volatile
as $$
  select jsonb_build_object(
    'queue', t.queue, 'priority', t.priority, 'max_failures', t.max_failures, 'retry', t.retry,
    'timeout', holdfast.seconds_of(t.timeout), 'endpoint', t.endpoint,
    'max_concurrent', l.max_concurrent, 'rate', l.rate)
  from holdfast.tasks as t
  left join holdfast.limits as l on l.kind = 'task' and l.name = t.name
  where t.name = of_task
$$;
