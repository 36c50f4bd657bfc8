-- Reads a number from an option, null for anything else: a worker's odd report must not prevent recording an end.
create or replace function holdfast.read_number(value jsonb)
returns double precision
language sql immutable parallel safe
as $$
  select case
    when jsonb_typeof(value) = 'number' and abs((value #>> '{}')::numeric) < 1e15
      then round((value #>> '{}')::numeric, 9)::double precision
  end
$$;
