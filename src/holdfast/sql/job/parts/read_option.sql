-- Returns the options of one job, or those for all jobs of a call, as a row; raises an error for an unknown one.
create or replace function holdfast.read_option(options jsonb, started timestamptz)
returns table (
  queue text, priority integer, due_at timestamptz, unique_key text, unique_for text, unique_scope text, order_key text,
  run uuid, parent uuid, labels jsonb, timeout interval, deadline timestamptz, "group" text, endpoint text,
  max_failures integer, retry jsonb, pipeline text, stage text, estimate double precision,
  origin text, actor text, trace jsonb, default_queue text, default_priority integer,
  unique_request text
)
language plpgsql stable
as $$
#variable_conflict use_column
begin
  if options - array['queue', 'default_queue', 'notify', 'keys_checked'] = '{}'
    and coalesce(length(options ->> 'queue') between 1 and 200, true)
    and coalesce(length(options ->> 'default_queue') between 1 and 200, true) then
    return query select options ->> 'queue', null::integer, null::timestamptz, null::text, null::text, null::text,
      null::text, null::uuid, null::uuid, null::jsonb, null::interval, null::timestamptz, null::text, null::text,
      null::integer, null::jsonb, null::text, null::text, null::double precision, null::text,
      null::text, null::jsonb, options ->> 'default_queue', null::integer, null::text;
    return;
  end if;
  perform holdfast.check_names(array(select k from jsonb_object_keys(options) as k));
  perform holdfast.check_option(options);
  return query
    select
      o.queue, o.priority, coalesce(o.run_at, started + holdfast.read_interval(o.delay)),
      o.unique_key, coalesce(o.unique_for, 'live'), o.unique_scope, o.order_key,
      o.run, o.parent, o.labels, holdfast.read_interval(o.timeout), o.deadline, o."group", o.endpoint,
      o.max_failures, holdfast.retry_policy(o.retry), o.pipeline, o.stage, o.estimate, o.origin, o.actor,
      case when o.trace is not null then holdfast.read_trace(o.trace) end, o.default_queue, o.default_priority,
      o.unique_request
    from jsonb_to_record(options) as o (
      queue text, priority integer, delay jsonb, run_at timestamptz, unique_key text, unique_for text,
      unique_scope text, order_key text, run uuid, parent uuid, labels jsonb, timeout jsonb, deadline timestamptz,
      "group" text, endpoint text, max_failures integer, retry jsonb, pipeline text, stage text,
      estimate double precision, origin text, actor text, trace jsonb, default_queue text, default_priority integer,
      unique_request text
    );
exception
  when invalid_text_representation or invalid_datetime_format or datetime_field_overflow or numeric_value_out_of_range
    or invalid_parameter_value or invalid_time_zone_displacement_value then
    raise exception using
      errcode = 'HF002',
      message = format('The value of an option is invalid: %s.', left(sqlerrm, 200)),
      hint = 'Correct the value that this error quotes. Priorities are integers, times are ISO 8601, ids are UUIDs.';
end
$$;
