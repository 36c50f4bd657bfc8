-- Raises an error for an unknown key in a filter of dead letters.
create or replace function holdfast.check_dead_filter(filter jsonb)
returns void
language sql stable
as $$
  select holdfast.check_filter(filter,
    array['queue', 'task', 'reason', 'class', 'error_type', 'fingerprint', 'status', 'assignee', 'run', 'since',
      'until'])
$$;
