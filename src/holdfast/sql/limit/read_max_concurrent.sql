-- How many jobs may run at once, as settings carry it; null for any number.
create or replace function holdfast.read_max_concurrent(value jsonb)
returns integer
language plpgsql immutable
as $$
begin
  if value is null or lower(value #>> '{}') = 'none' or jsonb_typeof(value) = 'null' then
    return null;
  end if;
  if not coalesce(value #>> '{}' ~ $re$^\d{1,7}\Z$re$ and (value #>> '{}')::integer >= 1, false) then
    perform holdfast.refuse('HF002', format('max_concurrent cannot be %s.', left(value::text, 200)),
      'Give a whole number from 1 to 9999999; null or "none" takes it off. To let nothing run, pause the queue.');
  end if;
  return value #>> '{}';
end
$$;
comment on function holdfast.read_max_concurrent(jsonb) is 'Reads from a setting how many jobs may run at once.';
