-- Whether the name of a queue or task is not free: holdfast and what begins with "holdfast." belong to Holdfast's own
-- jobs; . and .. are steps of a path, which browsers and proxies remove: /queues/./pause would pause all queues.
create or replace function holdfast.is_reserved(name text)
returns boolean
language sql immutable parallel safe
as $$
  select name in ('holdfast', '.', '..') or starts_with(name, 'holdfast.')
$$;
