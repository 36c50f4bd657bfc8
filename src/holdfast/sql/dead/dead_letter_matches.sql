-- Whether a dead letter matches a filter and its job is still dead. Shared by lists, groups and bulk actions.
create or replace function holdfast.dead_letter_matches(letter holdfast.dead_letters, filter jsonb)
returns boolean
language sql stable
as $$
  select letter.replayed_at is null
    and (not filter ? 'queue' or letter.queue = filter ->> 'queue')
    and (not filter ? 'task' or letter.task = filter ->> 'task')
    and (not filter ? 'reason' or letter.reason = filter ->> 'reason')
    and (not filter ? 'class' or letter.class = filter ->> 'class')
    and (not filter ? 'error_type' or letter.error_type = filter ->> 'error_type')
    and (not filter ? 'fingerprint' or letter.fingerprint = filter ->> 'fingerprint')
    and (not filter ? 'status' or letter.status = filter ->> 'status')
    and (not filter ? 'assignee' or letter.assignee is not distinct from filter ->> 'assignee')
    and (not filter ? 'run' or letter.run_id = (filter ->> 'run')::uuid)
    and (not filter ? 'since' or letter.died_at >= (filter ->> 'since')::timestamptz)
    and (not filter ? 'until' or letter.died_at < (filter ->> 'until')::timestamptz)
$$;
