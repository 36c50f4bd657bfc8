-- Reads max_concurrent from settings; null for no limit.
create or replace function holdfast.read_max_concurrent(value jsonb)
returns integer
language plpgsql immutable
as $$
begin
  if value is null or lower(value #>> '{}') = 'none' or jsonb_typeof(value) = 'null' then
    return null;
  end if;
  if not coalesce(value #>> '{}' ~ $re$^\d{1,7}\Z$re$ and (value #>> '{}')::integer >= 1, false) then
    perform holdfast.refuse('HF002',
      format('max_concurrent must be an integer from 1 to 9999999 (got %s).', left(value::text, 200)),
      'To remove the limit, pass null or "none". To run nothing, pause the queue.');
  end if;
  return value #>> '{}';
end
$$;
