-- Every dead letter, those included whose job was replayed and lives or ended otherwise.
create or replace view holdfast.dead_letter_view as
select
  d.job_id, d.generation, d.queue, d.task, d.run_id as run, d.reason, d.class, d.error_type, d.message, d.place, d.fingerprint, d.died_at,
  d.status, d.assignee, d.replays, d.replayed_at, d.replayed_by, d.outcome, d.replaced_by
from holdfast.dead_letters as d;
comment on view holdfast.dead_letter_view is 'Every dead letter; replayed_at is null while its job is dead, outcome tells how its last replay ended.';
