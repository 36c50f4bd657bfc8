-- Schedules: tasks and pipelines that run at the times of a cron expression, or at an interval.

create table holdfast.schedules (
  name            text primary key,
  task            text,
  pipeline        text,
  cron            text,
  every           interval,
  tz              text not null default 'UTC',
  payload         jsonb not null default '{}',
  options         jsonb not null default '{}',
  missed          text not null default 'last',
  overlap         text not null default 'allow',
  state           text not null default 'new',
  problem         text,
  counts_from     timestamptz not null,
  next_slot       timestamptz,
  retry_at        timestamptz,
  paused_at       timestamptz,
  paused_reason   text,
  last_slot       timestamptz,
  last_job        uuid,
  skipped_slot    timestamptz,
  skipped_because text,
  app             text,
  undeclared_at   timestamptz,
  constraint schedule_name_is_short check (length(name) between 1 and 100),
  constraint schedule_starts_one_thing check (num_nonnulls(task, pipeline) = 1),
  constraint schedule_target_is_short check (length(coalesce(task, pipeline)) between 1 and 200),
  constraint schedule_has_one_timing check (num_nonnulls(cron, every) = 1),
  constraint schedule_cron_is_short check (length(cron) between 1 and 200),
  constraint schedule_every_is_whole_seconds check (
    every between interval '1 second' and interval '8784 hours' and extract(epoch from every) % 1 = 0),
  constraint schedule_tz_is_short check (length(tz) between 1 and 100),
  constraint schedule_missed_known check (missed in ('skip', 'last', 'all')),
  constraint schedule_overlap_known check (overlap in ('allow', 'skip')),
  constraint schedule_state_known check (state in ('new', 'active', 'failing', 'invalid')),
  constraint schedule_state_has_slot check ((next_slot is not null) = (state in ('active', 'failing'))),
  constraint schedule_problem_is_told check ((problem is not null) = (state in ('failing', 'invalid')))
);
-- Those that a worker has something to do for; an hour with no slot reads nothing.
create index schedules_due on holdfast.schedules (coalesce(retry_at, next_slot, counts_from))
  where paused_at is null and state <> 'invalid';
comment on table holdfast.schedules is 'What runs at times, and its next slot: firing it and moving on is one update.';
comment on column holdfast.schedules.name is 'Its name.';
comment on column holdfast.schedules.task is 'Task of its jobs; null: they go through a pipeline.';
comment on column holdfast.schedules.pipeline is 'Pipeline of its jobs; null: they have a task.';
comment on column holdfast.schedules.cron is 'Cron expression of five fields; null: it has an interval.';
comment on column holdfast.schedules.every is 'Interval in whole seconds; null: it has a cron expression.';
comment on column holdfast.schedules.tz is 'Time zone of the cron expression, by its IANA name.';
comment on column holdfast.schedules.payload is 'Payload of its jobs.';
comment on column holdfast.schedules.options is 'Options of its jobs, as enqueue takes them.';
comment on column holdfast.schedules.missed
  is 'What becomes of slots that no worker fired in time: skip, last (only the newest runs) or all.';
comment on column holdfast.schedules.overlap
  is 'Whether a slot runs while the job of the last one lives: allow, or skip.';
comment on column holdfast.schedules.state
  is 'new (no worker has checked it yet), active, failing (its job was refused), invalid (no times can be computed).';
comment on column holdfast.schedules.problem is 'Why it is failing or invalid.';
comment on column holdfast.schedules.counts_from
  is 'Slots come after this moment: when it was set, changed or resumed.';
comment on column holdfast.schedules.next_slot is 'Slot that is fired next; null until a worker has computed it.';
comment on column holdfast.schedules.retry_at is 'When a refused slot is tried again; null unless it is failing.';
comment on column holdfast.schedules.paused_at is 'When an operator paused it; null: it is not paused.';
comment on column holdfast.schedules.paused_reason is 'Why it is paused.';
comment on column holdfast.schedules.last_slot is 'Slot that made the last job.';
comment on column holdfast.schedules.last_job is 'That job.';
comment on column holdfast.schedules.skipped_slot
  is 'Slot that last made no job; of several that were missed at once, the first.';
comment on column holdfast.schedules.skipped_because is 'Why: missed, or overlap.';
comment on column holdfast.schedules.app is 'App that declares it; null: an operator made it.';
comment on column holdfast.schedules.undeclared_at
  is 'When its app started without declaring it; null: it does declare it, or there is no app.';
