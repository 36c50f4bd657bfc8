-- The lowest id of a time: ids contain their time, so a bound on the age of jobs is a bound on their ids.
-- From year 10889 on the time would not fit into an id.
create or replace function holdfast.id_at(at timestamptz)
returns uuid
language sql immutable strict parallel safe
as $$
  select (
    holdfast.id_prefix(greatest(least(at, timestamptz '9999-01-01Z'), timestamptz 'epoch')) || '000-8000-000000000000'
  )::uuid
$$;
