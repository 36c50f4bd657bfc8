-- The audit trail.
create or replace view holdfast.event_view as
select e.id, e.at, e.cause, e.job_id, e.run_id as run, e.queue, e.from_state, e.to_state, e.attempt, e.worker_id as worker, e.actor, e.reason, e.detail
from holdfast.events as e;
comment on view holdfast.event_view is 'The audit trail.';
