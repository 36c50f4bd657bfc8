-- Deletes cached values that have expired, and computations that were given up; returns how many.
create or replace function holdfast.prune_cached_values(at timestamptz, max integer)
returns integer
language sql volatile
as $$
  with past as (
    select v.scope, v.key
    from holdfast.cached_values as v
    where v.expires_at < at
    order by v.expires_at
    limit max
    for update skip locked
  ), removed as (
    delete from holdfast.cached_values as c using past as p where c.scope = p.scope and c.key = p.key returning 1
  )
  select count(*)::integer from removed
$$;
