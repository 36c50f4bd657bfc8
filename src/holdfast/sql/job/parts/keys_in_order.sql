-- The rows of the unique keys of a call, in the order in which every call takes them, so that two calls that share keys
-- wait for each other in one order and cannot deadlock.
create or replace function holdfast.keys_in_order(
  ids uuid[], scopes text[], keys text[], hashes bytea[], lives text[], at timestamptz
)
returns setof holdfast.unique_keys
language sql stable
as $$
  select
    u.scope, u.key, u.id, u.hash, u.life = 'live',
    case when u.life not in ('live', 'forever') then at + u.life::interval end
  from rows from (unnest(ids), unnest(scopes), unnest(keys), unnest(hashes), unnest(lives)) with ordinality
    as u (id, scope, key, hash, life, i)
  where u.key is not null
  order by u.scope collate "C", u.key collate "C", u.i
$$;
