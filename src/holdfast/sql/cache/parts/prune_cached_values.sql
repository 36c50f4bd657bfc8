-- Deletes cached values that have expired, and computations that were given up; returns how many.
create or replace function holdfast.prune_cached_values(at timestamptz, max integer)
returns integer
language sql volatile
as $$
  with removed as (
    delete from holdfast.cached_values as c
    where (c.scope, c.key) in (
      select v.scope, v.key
      from holdfast.cached_values as v
      where v.expires_at < at
      order by v.expires_at
      limit max
      for update skip locked)
    returning 1
  )
  select count(*)::integer from removed
$$;
