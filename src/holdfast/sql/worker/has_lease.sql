-- Whether a worker may claim: it is registered, its lease is valid, and its jobs were not rescued.
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
