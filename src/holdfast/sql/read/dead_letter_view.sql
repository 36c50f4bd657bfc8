-- Every dead letter of a job that is dead now.
create or replace view holdfast.dead_letter_view as
select
  d.job_id, d.generation, d.queue, d.task, d.run_id as run, d.reason, d.class, d.error_type, d.message, d.fingerprint, d.died_at, d.status, d.assignee
from holdfast.dead_letters as d
where d.replayed_at is null;
comment on view holdfast.dead_letter_view is 'Every dead letter of a job that is dead now.';
