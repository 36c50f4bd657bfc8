-- Events of jobs about to end, in queues whose audit trail is full.
create or replace function holdfast.record_ends(ids uuid[], tokens uuid[], to_state text, reasons text[])
returns void
language sql volatile
as $$
  insert into holdfast.events (at, cause, job_id, run_id, queue, from_state, to_state, attempt, worker_id, reason)
  select holdfast.now(), 'end', j.id, j.run_id, j.queue, j.state, to_state, j.attempt, j.worker_id,
    left(reasons[array_position(ids, j.id)], 2000)
  from holdfast.jobs as j
  where j.id = any (ids)
    and (tokens is null or j.token = tokens[array_position(ids, j.id)])
    and (select q.detail from holdfast.queues as q where q.name = j.queue) = 'full'
  order by j.id
  for update
$$;
comment on function holdfast.record_ends(uuid[], uuid[], text, text[]) is 'Writes the events of jobs about to end, in queues whose audit trail is full.';
