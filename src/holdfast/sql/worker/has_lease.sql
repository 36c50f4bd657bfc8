-- Whether a worker may claim: it is registered, its lease lasts, and its jobs were not taken from it.
create or replace function holdfast.has_lease(worker uuid)
returns boolean
language sql stable
as $$
  select exists (
    select from holdfast.workers as w
    where w.id = worker
      and w.state <> 'stopped'
      and w.rescued_at is null
      and w.lease_until >= holdfast.now()
  )
$$;
comment on function holdfast.has_lease(uuid) is 'Whether a worker may claim.';
