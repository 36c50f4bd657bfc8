-- Raises an error for an option that no enqueue has.
create or replace function holdfast.check_names(names text[])
returns void
language plpgsql immutable
as $$
declare
  known constant text[] := array[
    'queue', 'priority', 'delay', 'run_at', 'unique_key', 'unique_for', 'unique_scope', 'order_key', 'run', 'parent',
    'parent_token', 'labels', 'timeout', 'deadline', 'group', 'endpoint', 'max_failures', 'retry', 'pipeline', 'stage',
    'estimate', 'stagger', 'notify', 'keys_checked', 'origin', 'actor',
    'trace', 'default_queue', 'default_priority', 'rules', 'unique_request'
  ];
begin
  if not names <@ known then
    perform holdfast.refuse('HF002',
      format('Jobs have no option %s.', (select k from unnest(names) as k where k <> all (known) limit 1)),
      'Use queue, priority, delay, run_at, unique_key, unique_for, unique_scope, order_key, run, labels, timeout,'
      ' deadline, group, endpoint, estimate, max_failures, retry, stagger, notify, origin, actor, trace.');
  end if;
end
$$;
