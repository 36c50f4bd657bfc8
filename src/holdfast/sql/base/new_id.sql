-- A UUID version 7 for the given time: 48 bits of milliseconds, then random bits.
create or replace function holdfast.new_id(at timestamptz)
returns uuid
language sql volatile parallel safe
as $$
  select encode(
    set_bit(
      set_bit(
        overlay(
          uuid_send(gen_random_uuid())
          placing substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3)
          from 1 for 6
        ),
        52, 1
      ),
      53, 1
    ),
    'hex'
  )::uuid
$$;
comment on function holdfast.new_id(timestamptz) is 'A new id that carries the given time.';
