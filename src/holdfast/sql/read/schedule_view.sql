-- Every schedule, with its next slot and what became of the last one.
-- state: paused where an operator paused it, else new, active, failing or invalid. last_state is the state of the job
-- of the last slot; null if there is none, or it was pruned.
create or replace view holdfast.schedule_view as
select
  s.name, case when s.paused_at is not null then 'paused' else s.state end as state, s.task, s.pipeline, s.cron,
  s.every, s.tz, s.payload, s.options, s.missed, s.overlap, s.problem, s.counts_from, s.next_slot, s.retry_at,
  s.paused_at, s.paused_reason, s.last_slot, s.last_job,
  coalesce(
    (select j.state from holdfast.jobs as j where j.id = s.last_job),
    (select h.state from holdfast.history as h
      where h.id = s.last_job
        and h.ended_at >= coalesce(holdfast.created_at(s.last_job), '-infinity') - interval '1 minute')
  ) as last_state,
  s.skipped_slot, s.skipped_because, s.app, s.undeclared_at
from holdfast.schedules as s;
