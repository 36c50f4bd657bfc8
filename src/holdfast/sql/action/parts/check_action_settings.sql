-- Raises an error for a bulk action that there is not, and for a filter that it could not use.
create or replace function holdfast.check_action_settings(action text, settings jsonb)
returns void
language plpgsql stable
as $$
declare
  filter constant jsonb := settings -> 'filter';
begin
  if octet_length(settings::text) > 16384 then
    perform holdfast.refuse('HF002', 'The settings of an action must have at most 16 KiB.',
      'Instead of listing many values, choose the jobs by queue, task, run or label.');
  end if;
  if filter is null or filter = '{}' then
    perform holdfast.refuse('HF002', 'The filter must not be empty.', 'Pass a filter such as {"queue": "mail"}.');
  end if;
  perform holdfast.refuse_reserved(filter ->> 'queue', filter ->> 'task', settings ->> 'to');
  if action in ('replay_dead_letters', 'resolve_dead_letters') then
    perform holdfast.check_dead_filter(filter);
  elsif action in ('cancel', 'replay', 'reclaim', 'complete', 'fail', 'set_priority') then
    perform holdfast.read_job_filter(filter);
  elsif action = 'move' then
    perform holdfast.check_filter(filter, array['queue']);
    perform holdfast.check_move(filter ->> 'queue', settings ->> 'to');
  else
    perform holdfast.refuse('HF002', format('There is no action %s.', coalesce(left(action, 200), 'null')),
      'Use cancel, replay, reclaim, complete, fail, set_priority, replay_dead_letters, resolve_dead_letters or move.');
  end if;
end
$$;
