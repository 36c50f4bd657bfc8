-- A duration as options carry it: a number of seconds, or the text of an interval.
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
  -- An infinite or enormous one would break every reader's arithmetic later.
  if duration is null or duration not between interval '-1000 years' and interval '1000 years' then
    raise invalid_datetime_format;
  end if;
  return duration;
exception
  when invalid_datetime_format or datetime_field_overflow or interval_field_overflow
    or invalid_text_representation or numeric_value_out_of_range or invalid_parameter_value then
    raise exception using
      errcode = 'HF002',
      message = format('%s is not a duration.', left(value::text, 200)),
      hint = 'Give seconds as a number, or a text such as "5 minutes".';
end
$$;
comment on function holdfast.read_interval(jsonb) is 'Reads a duration from an option: seconds as a number, or the text of an interval.';
