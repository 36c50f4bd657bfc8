-- Records the starts of a claim in queues whose audit trail is full.
create or replace function holdfast.record_starts(worker uuid, mark uuid)
returns void
language sql volatile
as $$
  insert into holdfast.events (at, cause, job_id, run_id, queue, from_state, to_state, attempt, worker_id)
  select j.started_at, 'claim', j.id, j.run_id, j.queue, 'ready', 'running', j.attempt, j.worker_id
  from holdfast.jobs as j
  join holdfast.queues as q on q.name = j.queue and q.detail = 'full'
  where j.worker_id = worker
    and j.state = 'running'
    and j.token = mark
$$;
