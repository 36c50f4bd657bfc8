-- The options of one job as a row; refuses what it does not know.
create or replace function holdfast.read_option(options jsonb, started timestamptz)
returns table (
  queue text, priority integer, due_at timestamptz, unique_key text, unique_for text, unique_scope text, order_key text,
  run uuid, parent uuid, labels jsonb, timeout interval, deadline timestamptz, "group" text, endpoint text,
  max_failures integer, retry jsonb, pipeline text, stage text, estimate double precision
)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  unknown text;
begin
  if options - array['queue', 'notify', 'keys_checked'] = '{}' and coalesce(length(options ->> 'queue') between 1 and 200, true) then
    return query select options ->> 'queue', null::integer, null::timestamptz, null::text, null::text, null::text, null::text,
      null::uuid, null::uuid, null::jsonb, null::interval, null::timestamptz, null::text, null::text,
      null::integer, null::jsonb, null::text, null::text, null::double precision;
    return;
  end if;
  select k into unknown from jsonb_object_keys(options) as k
  where k <> all (array['queue', 'priority', 'delay', 'run_at', 'unique_key', 'unique_for', 'unique_scope', 'order_key', 'run',
    'parent', 'parent_token', 'labels', 'timeout', 'deadline', 'group', 'endpoint', 'max_failures', 'retry', 'pipeline', 'stage',
    'estimate', 'stagger', 'notify', 'keys_checked']);
  if unknown is not null then
    perform holdfast.refuse('HF002', format('There is no option %s.', unknown),
      'Known are queue, priority, delay, run_at, unique_key, unique_for, unique_scope, order_key, run, labels, timeout, deadline, group, endpoint, estimate, max_failures, retry, stagger, notify.');
  end if;
  perform holdfast.check_option(options);
  return query
    select
      o.queue, o.priority, coalesce(o.run_at, started + holdfast.read_interval(o.delay)),
      o.unique_key, coalesce(o.unique_for, 'live'), o.unique_scope, o.order_key,
      o.run, o.parent, o.labels, holdfast.read_interval(o.timeout), o.deadline, o."group", o.endpoint,
      o.max_failures, holdfast.retry_policy(o.retry), o.pipeline, o.stage, o.estimate
    from jsonb_to_record(options) as o (
      queue text, priority integer, delay jsonb, run_at timestamptz, unique_key text, unique_for text, unique_scope text,
      order_key text, run uuid, parent uuid, labels jsonb, timeout jsonb, deadline timestamptz, "group" text, endpoint text,
      max_failures integer, retry jsonb, pipeline text, stage text, estimate double precision
    );
exception
  when invalid_text_representation or invalid_datetime_format or datetime_field_overflow or numeric_value_out_of_range
    or invalid_parameter_value or invalid_time_zone_displacement_value then
    raise exception using
      errcode = 'HF002',
      message = format('An option has a value that does not fit: %s.', left(sqlerrm, 200)),
      hint = 'Look at the option named in the message; priorities are whole numbers, times are ISO 8601, ids are UUIDs.';
end
$$;
comment on function holdfast.read_option(jsonb, timestamptz) is 'The options of one job as a row; refuses what it does not know.';
