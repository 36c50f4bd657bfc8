-- Every attempt that did not succeed, with its error.
create or replace view holdfast.attempt_view as
select
  a.job_id, a.attempt, a.generation, a.visit, a.outcome, a.class, a.counted, a.queue, a.task, a.stage,
  a.worker_id as worker, a.host, a.version, a.started_at, a.ended_at, a.ended_at - a.started_at as took, a.retry_at,
  a.error_type, a.message, a.place, a.traceback, a.fingerprint
from holdfast.attempts as a;
