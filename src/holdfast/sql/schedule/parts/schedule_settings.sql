-- The settings of a schedule, by the keys of set_schedule; the interval in seconds.
create or replace function holdfast.schedule_settings(of_schedule text)
returns jsonb
language sql volatile
as $$
  select jsonb_build_object(
    'task', s.task, 'pipeline', s.pipeline, 'cron', s.cron, 'every', holdfast.seconds_of(s.every), 'tz', s.tz,
    'payload', s.payload, 'options', s.options, 'missed', s.missed, 'overlap', s.overlap)
  from holdfast.schedules as s
  where s.name = of_schedule
$$;
