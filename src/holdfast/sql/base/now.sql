-- The one clock: the time that every verb uses, read once after its locks are held.
-- A test can replace it. Stable, because a volatile function turns index conditions into filters.
create or replace function holdfast.now()
returns timestamptz
language sql stable parallel safe
as $$
  select clock_timestamp()
$$;
