-- ready -> running: leases one job, named by its id, to a worker.
-- The same conditions hold as for claim_jobs: the worker's queues and group, pauses, order keys, limits, endpoints and
-- budgets. Only priority and age do not: the caller has chosen. Returns what claim_jobs returns, and no row if the job
-- is not ready or may not start now.
create or replace function holdfast.claim_job(worker uuid, job uuid)
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
  if job is null then
    perform holdfast.refuse('HF002', 'job must be the id of a job (got null).',
      'Pass an id, or call claim_jobs, which takes the next jobs.');
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
    from holdfast.settle_and_claim(worker, 1, '{}', '{}', '{}', '{}', '{}', job) as c
    where c.kind = 'job';
end
$$;
