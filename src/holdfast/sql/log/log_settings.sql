-- Returns which logs of its handlers each queue keeps: off, errors (of attempts that do not succeed) or all.
-- No row for a queue that is unknown; its first job creates it with errors.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.log_settings(queues text[])
returns table (queue text, logs text)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select q.name, q.logs
  from unnest(log_settings.queues) as u (name)
  join holdfast.queues as q on q.name = u.name
$$;
