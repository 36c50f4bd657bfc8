-- Records state changes in queues whose audit trail is full. Call it before the change.
create or replace function holdfast.record_moves(ids uuid[], cause text, to_state text, reason text default null)
returns void
language plpgsql volatile
as $$
begin
  if not exists (select from holdfast.queues as q where q.detail = 'full') then
    return;
  end if;
  insert into holdfast.events (at, cause, job_id, run_id, queue, from_state, to_state, attempt, worker_id, reason)
  select holdfast.now(), cause, j.id, j.run_id, j.queue, j.state, to_state, j.attempt, j.worker_id, left(reason, 2000)
  from holdfast.jobs as j
  where j.id = any (ids)
    and (select q.detail from holdfast.queues as q where q.name = j.queue) = 'full'
  order by j.id;
end
$$;
