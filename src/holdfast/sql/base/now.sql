-- The one clock. Stable, because a volatile one turns index conditions into filters.
create or replace function holdfast.now()
returns timestamptz
language sql stable parallel safe
as $$
  select clock_timestamp()
$$;
comment on function holdfast.now() is 'The one clock of Holdfast. Verbs read it once, after their locks are held.';
