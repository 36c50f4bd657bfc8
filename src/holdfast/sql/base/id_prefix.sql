-- The time part of a UUID version 7 as text: milliseconds and the version digit.
create or replace function holdfast.id_prefix(at timestamptz)
returns text
language sql immutable strict parallel safe
as $$
  select lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
$$;
