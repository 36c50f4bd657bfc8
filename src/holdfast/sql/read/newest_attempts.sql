-- Those of the newest 100,000 attempts that went wrong since a time, and until one if it is given, that fit a filter.
-- key is the fingerprint, or empty: joins need a value. Text is looked for in type, message and place of the error.
create or replace function holdfast.newest_attempts(filter jsonb, since timestamptz, until timestamptz)
returns table (
  job_id uuid, attempt integer, key text, outcome text, queue text, task text, stage text, version text,
  ended_at timestamptz
)
language sql stable
as $$
  select a.job_id, a.attempt, coalesce(a.fingerprint, ''), a.outcome, a.queue, a.task, a.stage, a.version, a.ended_at
  from (
    select *
    from holdfast.attempts as n
    where n.ended_at >= newest_attempts.since
      and (newest_attempts.until is null or n.ended_at < newest_attempts.until)
    order by n.ended_at desc
    limit 100000
  ) as a
  where (not filter ? 'queue' or a.queue = filter ->> 'queue')
    and (not filter ? 'task' or a.task = filter ->> 'task')
    and (not filter ? 'stage' or a.stage = filter ->> 'stage')
    and (not filter ? 'queues' or filter -> 'queues' ? a.queue)
    and (not filter ? 'tasks' or filter -> 'tasks' ? a.task)
    and (not filter ? 'class' or a.class = filter ->> 'class')
    and (not filter ? 'outcome' or a.outcome = filter ->> 'outcome')
    and (not filter ? 'fingerprint' or a.fingerprint = filter ->> 'fingerprint')
    and (not filter ? 'error_type' or a.error_type = filter ->> 'error_type')
    and (not filter ? 'text'
      or strpos(lower(concat_ws(' ', a.error_type, a.message, a.place)), lower(filter ->> 'text')) > 0)
$$;
