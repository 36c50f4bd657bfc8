-- Returns a filter of jobs as job_matches takes it: with the numbers of the logins that its actor names.
-- Raises an error for an unknown key.
create or replace function holdfast.read_job_filter(filter jsonb)
returns jsonb
language plpgsql stable
as $$
begin
  perform holdfast.check_filter(filter,
    array['state', 'queue', 'task', 'run', 'labels', 'older_than', 'newer_than', 'attempt', 'failures', 'priority',
      'worker', 'order_key', 'unique_key', 'unique_scope', 'origin', 'actor']);
  if filter ? 'actor' then
    filter := filter || jsonb_build_object('logins', array(
      select l.id from holdfast.logins as l where l.login = filter ->> 'actor' collate "C"));
  end if;
  return filter;
end
$$;
