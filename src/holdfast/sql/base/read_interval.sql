-- A duration as options carry it: a number of seconds, or the text of an interval.
create or replace function holdfast.read_interval(value jsonb)
returns interval
language plpgsql stable parallel safe
as $$
begin
  case jsonb_typeof(value)
    when 'number' then
      return make_interval(secs => (value #>> '{}')::double precision);
    when 'string' then
      return (value #>> '{}')::interval;
    when 'null' then
      return null;
    else
      if value is null then
        return null;
      end if;
      raise invalid_datetime_format;
  end case;
exception
  when invalid_datetime_format or datetime_field_overflow or interval_field_overflow
    or invalid_text_representation or numeric_value_out_of_range or invalid_parameter_value then
    raise exception using
      errcode = 'HF002',
      message = format('%s is not a duration.', value),
      hint = 'Give seconds as a number, or a text such as "5 minutes".';
end
$$;
comment on function holdfast.read_interval(jsonb) is 'Reads a duration from an option: seconds as a number, or the text of an interval.';
