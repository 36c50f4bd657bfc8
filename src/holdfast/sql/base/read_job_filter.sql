-- Returns a filter of jobs as job_matches takes it: with the numbers of the logins that its actor names, and a text of
-- the payload to look for first.
-- Raises an error for an unknown key.
create or replace function holdfast.read_job_filter(filter jsonb)
returns jsonb
language plpgsql stable
as $$
begin
  perform holdfast.check_filter(filter,
    array['state', 'queue', 'task', 'run', 'labels', 'older_than', 'newer_than', 'attempt', 'failures', 'priority',
      'worker', 'order_key', 'unique_key', 'unique_scope', 'origin', 'actor', 'payload', 'fingerprint',
      'enqueued_after', 'enqueued_before']);
  if filter ? 'payload' then
    perform holdfast.check_payload_filter(filter -> 'payload');
    -- One expression rules out most payloads; has_values, a query for each payload, costs ten times as much.
    filter := filter || coalesce((
      select jsonb_build_object('quick', jsonb_build_array(w.key, w.value))
      from jsonb_each(filter -> 'payload') as w
      where jsonb_typeof(w.value) = 'string'
      limit 1), '{}');
  end if;
  if filter ? 'actor' then
    filter := filter || jsonb_build_object('logins', array(
      select l.id from holdfast.logins as l where l.login = filter ->> 'actor' collate "C"));
  end if;
  return filter;
end
$$;
