-- working -> working: extends the leases of workers that hold no jobs, for a server at which many of them wait.
-- hashes has the SHA-256 of a secret of each one's access key, as in check_claimants. Returns those that were renewed:
-- their places in the lists, from 1, and what renew_lease returns of them. Call check_access and renew_lease for the
-- others: their key is not valid, they have stopped or were rescued, hold jobs, or their row is locked.
-- plan: no seqscan, generic
create or replace function holdfast.renew_idle_leases(hashes bytea[], workers uuid[])
returns table (place integer, lease_until timestamptz, drain boolean, flags jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  valid constant integer[] := array(select v from holdfast.check_claimants(hashes, workers) as v);
  idle  uuid[];
  at    timestamptz;
begin
  -- A lock of one row must not keep the others from their leases.
  idle := array(
    select w.id
    from holdfast.workers as w
    where w.id = any (array(select renew_idle_leases.workers[v] from unnest(valid) as v))
      and w.state <> 'stopped'
      and w.rescued_at is null
      and not exists (select from holdfast.jobs as j where j.worker_id = w.id and j.state = 'running')
    for update skip locked);
  at := holdfast.now();
  update holdfast.workers as w
  set lease_until = at + w.lease, renewed_at = at, lost_jobs = null
  where w.id = any (idle);
  return query
    select v.place, w.lease_until, w.drain_asked, holdfast.worker_flags(w."group")
    from unnest(valid) as v (place)
    join holdfast.workers as w on w.id = renew_idle_leases.workers[v.place] and w.id = any (idle);
end
$$;
