-- Deletes secrets of access keys that have expired, those of sessions and log-in links too; returns how many.
create or replace function holdfast.prune_access_secrets(at timestamptz, max integer)
returns integer
language sql volatile
as $$
  -- Not as the list of an "in": a join may read that more than once, each time past the rows that it has locked.
  with past as (
    select e.hash
    from holdfast.access_secrets as e
    where e.expires_at <= at
    order by e.expires_at
    limit max
    for update skip locked
  ), removed as (
    delete from holdfast.access_secrets as s using past as p where s.hash = p.hash returning 1
  )
  select count(*)::integer from removed
$$;
