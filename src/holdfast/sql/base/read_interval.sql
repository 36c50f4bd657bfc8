-- Reads a duration from an option: a number of seconds, or the text of an interval.
create or replace function holdfast.read_interval(value jsonb)
returns interval
language plpgsql stable parallel safe
as $$
declare
  duration interval;
begin
  if value is null or jsonb_typeof(value) = 'null' then
    return null;
  end if;
  duration := case jsonb_typeof(value)
    when 'number' then make_interval(secs => (value #>> '{}')::double precision)
    when 'string' then (value #>> '{}')::interval
  end;
  -- An infinite or enormous duration would overflow later arithmetic.
  if duration is null or duration not between interval '-1000 years' and interval '1000 years' then
    raise invalid_datetime_format;
  end if;
  return duration;
exception
  when invalid_datetime_format or datetime_field_overflow or interval_field_overflow
    or invalid_text_representation or numeric_value_out_of_range or invalid_parameter_value then
    raise exception using
      errcode = 'HF002',
      message = format('A duration must be a number of seconds or a string with a unit (got %s).',
        left(value::text, 200)),
      hint = 'Pass a number of seconds, or a string such as "5 minutes".';
end
$$;
