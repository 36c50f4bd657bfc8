-- Events of jobs about to end, as the audit trails of their queues want them. At basic the history row of a completed job is its event.
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
    and (select q.detail from holdfast.queues as q where q.name = j.queue)
      = any (case to_state when 'completed' then array['full'] else array['basic', 'full'] end)
  order by j.id
  for update
$$;
comment on function holdfast.record_ends(uuid[], uuid[], text, text[]) is 'Writes the events of jobs about to end: all of them at detail full, those that did not complete at basic.';
