-- ready -> running: leases up to n jobs to a worker, under one new token.
create or replace function holdfast.claim_jobs(worker uuid, n integer)
returns table (
  job_id uuid, token uuid, task text, queue text, payload json, attempt integer, failures integer, losses integer,
  priority integer, run uuid, stage text, generation integer, visit integer, labels jsonb, order_key text,
  started_at timestamptz, ready_at timestamptz, stop_after interval, endpoint text
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  if n is null or n < 1 then
    perform holdfast.refuse('HF002', format('A worker cannot claim %s jobs.', n), 'Say how many it has room for, at least 1.');
  end if;
  if not holdfast.has_lease(worker) then
    perform holdfast.refuse('HF006', format('The worker %s has no lease.', worker),
      'Call holdfast.register_worker or holdfast.renew_lease first, and drop the jobs claimed before.');
  end if;
  return query
    select
      c.job_id, c.token, c.task, c.queue, c.payload, c.attempt, c.failures, c.losses, c.priority, c.run, c.stage,
      c.generation, c.visit, c.labels, c.order_key, c.started_at, c.ready_at, c.stop_after, c.endpoint
    from holdfast.settle_and_claim(worker, n, '{}', '{}', '{}', '{}', '{}') as c
    where c.kind = 'job';
end
$$;
comment on function holdfast.claim_jobs(uuid, integer)
  is 'Leases up to n ready jobs to a registered worker and returns them. Every later write for them must carry the token.';
