-- Refuses a filter of dead letters with a key that nobody looks at.
create or replace function holdfast.check_dead_filter(filter jsonb)
returns void
language sql stable
as $$
  select holdfast.check_filter(filter,
    array['queue', 'task', 'reason', 'class', 'error_type', 'fingerprint', 'status', 'assignee', 'run', 'since', 'until'])
$$;
comment on function holdfast.check_dead_filter(jsonb) is 'Refuses a filter of dead letters with a key that nobody looks at.';
