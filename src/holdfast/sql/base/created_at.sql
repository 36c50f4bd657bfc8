-- Returns when the job or run with this id was created; null for an id that is not a UUID version 7.
create or replace function holdfast.created_at(id uuid)
returns timestamptz
language sql immutable strict parallel safe
as $$
  select case
    when substring(id::text from 15 for 1) = '7' then
      timestamptz 'epoch' + interval '1 millisecond'
        * ('x' || lpad(replace(substring(id::text from 1 for 13), '-', ''), 16, '0'))::bit(64)::bigint
  end
$$;
