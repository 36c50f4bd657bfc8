-- One row for an attempt that failed, was put off by an error, or was lost.
create or replace function holdfast.record_attempt(
  job holdfast.jobs, outcome text, class text, counted boolean, detail jsonb, retry_at timestamptz
)
returns void
language sql volatile
as $$
  insert into holdfast.attempts (
    job_id, attempt, generation, visit, outcome, class, counted, queue, task, stage, worker_id, token, host, version,
    started_at, ended_at, retry_at, lease_until, error_type, message, place, traceback, fingerprint
  )
  select
    job.id, job.attempt, job.generation, job.visit, outcome, class, counted, job.queue, job.task, job.stage,
    job.worker_id, job.token, w.host, w.version, job.started_at, holdfast.now(), retry_at,
    case when outcome = 'lost' then w.lease_until end,
    left(said.type, 200), said.message, left(said.place, 500), holdfast.sanitise_text(detail ->> 'traceback'),
    holdfast.fingerprint(class, said.type, said.message, said.place)
  from (
    select
      holdfast.sanitise_text(detail ->> 'type') as type,
      holdfast.sanitise_text(detail ->> 'message') as message,
      holdfast.sanitise_text(detail ->> 'place') as place
  ) as said
  left join holdfast.workers as w on w.id = job.worker_id
  on conflict (job_id, attempt) do nothing
$$;
comment on function holdfast.record_attempt(holdfast.jobs, text, text, boolean, jsonb, timestamptz)
  is 'Writes the row of an attempt that failed, was put off, or was lost.';
