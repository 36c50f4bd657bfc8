-- The part of a UUID version 7 that tells the time: milliseconds and the version digit, as text.
create or replace function holdfast.id_prefix(at timestamptz)
returns text
language sql immutable strict parallel safe
as $$
  select lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
$$;
comment on function holdfast.id_prefix(timestamptz) is 'The part of an id that tells the time, as text.';
