-- Every dead letter, also of jobs that were replayed since.
create or replace view holdfast.dead_letter_view as
select
  d.job_id, d.generation, d.queue, d.task, d.run_id as run, d.reason, d.class, d.error_type, d.message, d.place,
  d.fingerprint, d.died_at, d.status, d.assignee, d.replays, d.replayed_at, d.replayed_by, d.outcome, d.replaced_by
from holdfast.dead_letters as d;
