-- A UUID version 7 for the given time: 48 bits of milliseconds, then random bits.
create or replace function holdfast.new_id(at timestamptz)
returns uuid
language sql volatile parallel safe
as $$
  select (holdfast.id_prefix(at) || substr(gen_random_uuid()::text, 16))::uuid
$$;
