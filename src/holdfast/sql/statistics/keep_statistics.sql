-- (any) -> (any): sets how long statistics are kept by minute, and by hour after that.
-- The default is 7 days by minute and 30 days by hour. At least 1 day by minute, and not longer than by hour.
create or replace function holdfast.keep_statistics(minutes interval, hours interval, reason text, actor text)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  before holdfast.statistics_settings;
begin
  perform holdfast.check_reason(reason);
  if minutes is null or hours is null or minutes < interval '1 day' or hours < minutes then
    perform holdfast.refuse('HF002',
      format('Statistics by minute must be kept for at least 1 day, and statistics by hour for at least as long as '
        'those by minute (got minutes => %s, hours => %s).',
        coalesce(minutes::text, 'null'), coalesce(hours::text, 'null')),
      'Pass for example minutes ''7 days'' and hours ''30 days'', which are the defaults.');
  end if;
  select s.* into before from holdfast.statistics_settings as s for update;
  update holdfast.statistics_settings as s set keep_minutes = minutes, keep_hours = hours;
  perform holdfast.record_event('keep_statistics', actor => actor, reason => reason,
    detail => jsonb_build_object(
      'from', jsonb_build_object('minutes', before.keep_minutes, 'hours', before.keep_hours),
      'to', jsonb_build_object('minutes', minutes, 'hours', hours)));
end
$$;
