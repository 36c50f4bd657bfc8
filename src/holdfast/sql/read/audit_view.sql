-- The part of the audit trail that is sealed by day: settings, actions of operators, and ends that are not completed.
-- The other events of jobs go with their jobs. day is the day whose seal covers it; null: not sealed yet.
create or replace view holdfast.audit_view as
select e.id, e.at, e.cause, e.job_id, e.run_id as run, e.queue, e.from_state, e.to_state, e.attempt,
  e.worker_id as worker, e.actor, e.login, e.reason, e.detail,
  (select s.day from holdfast.event_seals as s where s.through_id >= e.id order by s.through_id, s.day limit 1) as day
from holdfast.events as e
where e.job_id is null or e.actor is not null or e.to_state in ('rejected', 'cancelled', 'dead');
