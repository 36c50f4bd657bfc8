-- Raises an error for settings that no schedule has, and for a payload or options that no job could have.
create or replace function holdfast.check_schedule_settings(settings jsonb)
returns void
language plpgsql volatile
as $$
declare
  allowed constant text[] := array['queue', 'priority', 'order_key', 'labels', 'timeout', 'group', 'endpoint',
    'max_failures', 'retry', 'estimate'];
  options constant jsonb := coalesce(nullif(settings -> 'options', 'null'), '{}');
  problem constant text := holdfast.payload_problem(nullif(settings -> 'payload', 'null')::text);
  wrong   text;
begin
  perform holdfast.check_object('settings', settings);
  select k into wrong from jsonb_object_keys(settings) as k
  where k <> all (array['task', 'pipeline', 'cron', 'every', 'tz', 'payload', 'options', 'missed', 'overlap']);
  if wrong is not null then
    perform holdfast.refuse('HF002', format('A schedule has no setting %s.', wrong),
      'Use task, pipeline, cron, every, tz, payload, options, missed, overlap.');
  end if;
  perform holdfast.check_object('options', options);
  select k into wrong from jsonb_object_keys(options) as k where k <> all (allowed);
  if wrong is not null then
    perform holdfast.refuse('HF002', format('The jobs of a schedule have no option %s.', wrong),
      format('Use %s.', array_to_string(allowed, ', ')));
  end if;
  if options -> 'labels' ?| array['schedule', 'slot'] then
    perform holdfast.refuse('HF002', 'The schedule itself sets the labels schedule and slot.',
      'Give your labels other names.');
  end if;
  perform holdfast.refuse_reserved(settings ->> 'task', settings ->> 'pipeline', options ->> 'queue');
  perform holdfast.read_option(options, holdfast.now());
  if problem is not null and nullif(settings -> 'payload', 'null') is not null then
    perform holdfast.refuse('HF001', format('The payload of the schedule cannot be stored: %s.', problem),
      'Correct the payload.');
  end if;
end
$$;
