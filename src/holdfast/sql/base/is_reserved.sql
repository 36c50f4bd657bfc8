-- Whether the name of a queue or task is reserved for Holdfast's own jobs: holdfast, and what begins with "holdfast.".
create or replace function holdfast.is_reserved(name text)
returns boolean
language sql immutable parallel safe
as $$
  select name = 'holdfast' or starts_with(name, 'holdfast.')
$$;
