-- Formats a time for people, to the second, always in UTC: 2030-01-31 09:00:00Z.
create or replace function holdfast.time_words(at timestamptz)
returns text
language sql immutable parallel safe
as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
$$;
