-- working -> working: one update extends the lease on all jobs that a worker holds.
-- info: state ('draining'), and for people running, processed, failed, released, and database: the seconds that its
-- handlers have waited for the database since its start, {queue: {task: seconds}}; memory (bytes), cpu (cores) and
-- loop_lag (seconds) of its process. If they have changed, also slots, claim_size, slots_from and claim_size_from as in
-- register_worker.
-- known is false if the worker is not registered or has stopped. rescued is true if the lease had ended and other
-- workers got its jobs: drop them, their tokens are void. drain is true if an operator asked the worker to finish and
-- stop. flags are the flags that hold for it, as worker_flags returns them.
create or replace function holdfast.renew_lease(worker uuid, info jsonb default '{}')
returns table (lease_until timestamptz, known boolean, rescued boolean, drain boolean, flags jsonb)
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
    return query select null::timestamptz, false, false, false, null::jsonb;
    return;
  end if;
  at := holdfast.now();
  if row.rescued_at is not null then
    perform holdfast.forgive_losses(worker);
    -- The rescue skipped rows that were locked. The worker drops all its jobs now, so these are given back for it.
    perform holdfast.release_held(worker);
  end if;
  update holdfast.workers as w
  set lease_until = at + w.lease,
      renewed_at = at,
      rescued_at = null,
      lost_jobs = null,
      state = case when info ->> 'state' = 'draining' then 'draining' else w.state end,
      slots = coalesce((info ->> 'slots')::integer, w.slots),
      claim_size = case when info ? 'claim_size' then (info ->> 'claim_size')::integer else w.claim_size end,
      slots_from = coalesce(info ->> 'slots_from', w.slots_from),
      claim_size_from = coalesce(info ->> 'claim_size_from', w.claim_size_from),
      running = coalesce((info ->> 'running')::integer, w.running),
      processed = coalesce((info ->> 'processed')::bigint, w.processed),
      failed = coalesce((info ->> 'failed')::bigint, w.failed),
      released = coalesce((info ->> 'released')::bigint, w.released),
      memory = (info ->> 'memory')::bigint,
      cpu = (info ->> 'cpu')::double precision,
      loop_lag = make_interval(secs => (info ->> 'loop_lag')::double precision),
      database_seconds = holdfast.count_database_time(info -> 'database', row.database_seconds)
  where w.id = worker;
  return query select at + row.lease, true, row.rescued_at is not null, row.drain_asked,
    holdfast.worker_flags(row."group");
end
$$;
