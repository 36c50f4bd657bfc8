-- ready -> running: leases up to n jobs to a worker.
-- Jobs come from the worker's queues, by priority and age, as far as limits, endpoints and budgets permit.
-- Every later write for a job must carry the returned token. stop_after is the time left until the job's timeout or
-- deadline. endpoint names the endpoint whose permit the job holds until it ends. trace is its W3C trace context:
-- traceparent and tracestate of its producer, and attempt, the span of the latest attempt that ended.
-- Returns no row if nothing may start now: wait for a notification on holdfast_ready, or ask again after a second.
create or replace function holdfast.claim_jobs(worker uuid, n integer)
returns table (
  job_id uuid, token uuid, task text, queue text, payload json, attempt integer, failures integer, losses integer,
  priority integer, run uuid, stage text, generation integer, visit integer, labels jsonb, order_key text,
  started_at timestamptz, ready_at timestamptz, stop_after interval, endpoint text, trace jsonb
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  if n is null or n < 1 then
    perform holdfast.refuse('HF002', format('n must be at least 1 (got %s).', coalesce(n::text, 'null')),
      'Pass the number of free slots.');
  end if;
  if not holdfast.has_lease(worker) then
    perform holdfast.refuse('HF006', format('The worker %s has no lease.', worker),
      'Stop the jobs that this worker runs. Then call holdfast.register_worker or holdfast.renew_lease.');
  end if;
  return query
    select
      c.job_id, c.token, c.task, c.queue, c.payload, c.attempt, c.failures, c.losses, c.priority, c.run, c.stage,
      c.generation, c.visit, c.labels, c.order_key, c.started_at, c.ready_at, c.stop_after, c.endpoint,
      c.trace
    from holdfast.settle_and_claim(worker, n, '{}', '{}', '{}', '{}', '{}') as c
    where c.kind = 'job';
end
$$;
