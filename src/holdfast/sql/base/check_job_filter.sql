-- Raises an error for an unknown key in a filter of jobs.
create or replace function holdfast.check_job_filter(filter jsonb)
returns void
language sql stable
as $$
  select holdfast.check_filter(filter,
    array['state', 'queue', 'task', 'run', 'labels', 'older_than', 'newer_than', 'attempt', 'failures', 'priority',
      'worker', 'order_key'])
$$;
