-- (any) -> kept for: keeps figures of each minute for keep_minutes, then those of each hour until keep_hours.
-- The defaults are 7 and 30 days. An event records the change.
create or replace function holdfast.keep_statistics(keep_minutes interval, keep_hours interval, reason text, actor text)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  before holdfast.statistics_settings;
begin
  perform holdfast.check_reason(reason);
  if coalesce(keep_minutes < interval '1 hour' or keep_hours < keep_minutes, true) then
    perform holdfast.refuse('HF002',
      format('keep_minutes must be at least 1 hour, and keep_hours at least keep_minutes (got %s, %s).',
        coalesce(keep_minutes::text, 'null'), coalesce(keep_hours::text, 'null')),
      'The defaults are 7 days and 30 days.');
  end if;
  select s.* into before from holdfast.statistics_settings as s for update;
  update holdfast.statistics_settings as s
  set keep_minutes = keep_statistics.keep_minutes, keep_hours = keep_statistics.keep_hours;
  perform holdfast.record_event('keep_statistics', actor => actor, reason => reason,
    detail => jsonb_build_object(
      'from', jsonb_build_object('keep_minutes', before.keep_minutes, 'keep_hours', before.keep_hours),
      'to', jsonb_build_object('keep_minutes', keep_minutes, 'keep_hours', keep_hours)));
end
$$;
