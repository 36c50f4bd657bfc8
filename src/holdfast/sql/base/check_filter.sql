-- Raises an error for an unknown key in a filter, which would be ignored and match too much.
create or replace function holdfast.check_filter(filter jsonb, known text[])
returns void
language plpgsql stable
as $$
declare
  unknown text;
begin
  if filter is null or jsonb_typeof(filter) <> 'object' then
    perform holdfast.refuse('HF002', 'A filter must be a JSON object.', 'Pass {} to select everything.');
  end if;
  select k into unknown from jsonb_object_keys(filter) as k where k <> all (known);
  if unknown is not null then
    perform holdfast.refuse('HF002', format('There is no filter %s.', unknown),
      'Use ' || array_to_string(known, ', ') || '.');
  end if;
  perform (filter ->> 'run')::uuid, (filter ->> 'worker')::uuid, (filter ->> 'since')::timestamptz,
    (filter ->> 'until')::timestamptz, (filter ->> 'enqueued_after')::timestamptz,
    (filter ->> 'enqueued_before')::timestamptz, (filter ->> 'attempt')::integer, (filter ->> 'failures')::integer,
    (filter ->> 'priority')::integer;
exception
  when invalid_text_representation or invalid_datetime_format or datetime_field_overflow or invalid_parameter_value
    or numeric_value_out_of_range or invalid_time_zone_displacement_value then
    raise exception using
      errcode = 'HF002',
      message = format('A value of the filter is invalid: %s.', left(sqlerrm, 200)),
      hint = 'run and worker must be UUIDs; since, until, enqueued_after and enqueued_before must be ISO 8601 times;'
        ' attempt, failures and priority must be integers.';
end
$$;
