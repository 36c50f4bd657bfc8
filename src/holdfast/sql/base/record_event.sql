-- Writes one row of the audit trail.
create or replace function holdfast.record_event(
  cause text, job uuid default null, run uuid default null, queue text default null,
  from_state text default null, to_state text default null, attempt integer default null,
  worker uuid default null, actor text default null, reason text default null, detail jsonb default null
)
returns void
language sql volatile
as $$
  insert into holdfast.events (at, cause, job_id, run_id, queue, from_state, to_state, attempt, worker_id, actor,
    reason, detail)
  values (holdfast.now(), cause, job, run, queue, from_state, to_state, attempt, worker, actor,
    left(holdfast.sanitise_text(reason), 2000), detail)
$$;
