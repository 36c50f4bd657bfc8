-- working -> working: one update renews the lease on all jobs of a worker.
create or replace function holdfast.renew_lease(worker uuid, info jsonb default '{}')
returns table (lease_until timestamptz, known boolean, rescued boolean, drain boolean)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  row  holdfast.workers;
  at   timestamptz;
begin
  select w.* into row from holdfast.workers as w where w.id = worker for update;
  if not found or row.state = 'stopped' then
    return query select null::timestamptz, false, false, false;
    return;
  end if;
  at := holdfast.now();
  if row.rescued_at is not null then
    perform holdfast.forgive_losses(worker);
    -- A rescue passes over rows that are locked just then. The worker is told to drop all it had, so nobody would end those.
    perform holdfast.release_held(worker);
  end if;
  update holdfast.workers as w
  set lease_until = at + w.lease,
      renewed_at = at,
      rescued_at = null,
      lost_jobs = null,
      state = case when info ->> 'state' = 'draining' then 'draining' else w.state end,
      running = coalesce((info ->> 'running')::integer, w.running),
      processed = coalesce((info ->> 'processed')::bigint, w.processed),
      failed = coalesce((info ->> 'failed')::bigint, w.failed),
      released = coalesce((info ->> 'released')::bigint, w.released)
  where w.id = worker;
  return query select at + row.lease, true, row.rescued_at is not null, row.drain_asked;
end
$$;
comment on function holdfast.renew_lease(uuid, jsonb)
  is 'Renews a worker''s lease. known is false if it must register again; rescued is true if its jobs were taken meanwhile.';
