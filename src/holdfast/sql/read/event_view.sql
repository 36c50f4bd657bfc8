-- The audit trail.
-- The end of a completed job is read from its history row and has no id, unless its queue's trail is off or has the
-- event.
create or replace view holdfast.event_view as
select e.id, e.at, e.cause, e.job_id, e.run_id as run, e.queue, e.from_state, e.to_state, e.attempt,
  e.worker_id as worker, e.actor, e.reason, e.detail, e.login
from holdfast.events as e
union all
select
  null, h.ended_at, 'end', h.id, h.run_id, h.queue, case when h.worker_id is not null then 'running' end, h.state,
  h.attempt, h.worker_id, null, h.reason, null, null
from holdfast.history as h
where h.state = 'completed'
  and (select q.detail from holdfast.queues as q where q.name = h.queue) <> 'off'
  and not exists (select from holdfast.events as e where e.job_id = h.id and e.cause = 'end' and e.at >= h.ended_at);
