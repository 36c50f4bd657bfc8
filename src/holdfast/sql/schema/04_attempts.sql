-- Attempts that did not succeed, and what they saved on the way.

create table holdfast.attempts (
  job_id      uuid not null,
  attempt     integer not null,
  generation  integer not null,
  visit       integer not null,
  outcome     text not null,
  class       text,
  counted     boolean not null,
  queue       text not null,
  task        text not null,
  stage       text,
  worker_id   uuid,
  token       uuid,
  host        text,
  version     text,
  started_at  timestamptz,
  ended_at    timestamptz not null,
  retry_at    timestamptz,
  lease_until timestamptz,
  error_type  text,
  message     text,
  place       text,
  traceback   text,
  fingerprint text,
  pipeline    text,
  constraint attempts_pkey primary key (job_id, attempt),
  constraint attempt_outcome_known check (outcome in ('failed', 'timed_out', 'deferred', 'lost', 'forgiven')),
  constraint attempt_class_known check (class in ('transient', 'rate_limited', 'permanent', 'system')),
  constraint attempt_message_is_bounded check (length(message) <= 8192),
  constraint attempt_traceback_is_bounded check (length(traceback) <= 8192)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 50000
);
create index attempts_lost on holdfast.attempts (worker_id) where outcome = 'lost';
create index attempts_ended on holdfast.attempts (ended_at desc);

comment on table holdfast.attempts is 'One row for each attempt that failed, was put off by an error, or was lost.';
comment on column holdfast.attempts.job_id is 'The job.';
comment on column holdfast.attempts.attempt is 'Number of the try.';
comment on column holdfast.attempts.generation is 'Life of the job it belongs to.';
comment on column holdfast.attempts.visit is 'Stage visit it belongs to.';
comment on column holdfast.attempts.outcome
  is 'failed, timed_out, deferred (cost nothing), lost, or forgiven (a loss whose worker was heard from again).';
comment on column holdfast.attempts.class is 'Error class: transient, rate_limited, permanent or system.';
comment on column holdfast.attempts.counted is 'Whether it counted against the job.';
comment on column holdfast.attempts.queue is 'Queue the job stood in.';
comment on column holdfast.attempts.task is 'Task of the job.';
comment on column holdfast.attempts.stage is 'Stage of the job.';
comment on column holdfast.attempts.worker_id is 'Worker that ran it.';
comment on column holdfast.attempts.token is 'Token of its claim.';
comment on column holdfast.attempts.host is 'Host of that worker.';
comment on column holdfast.attempts.version is 'Version of the worker''s application.';
comment on column holdfast.attempts.started_at is 'When it began.';
comment on column holdfast.attempts.ended_at is 'When it ended.';
comment on column holdfast.attempts.retry_at is 'When the next try is due; null if there is none.';
comment on column holdfast.attempts.lease_until is 'Until when its worker''s lease was good, if the attempt was lost.';
comment on column holdfast.attempts.error_type is 'Type of the error.';
comment on column holdfast.attempts.message is 'Error message, sanitised, at most 8 KiB.';
comment on column holdfast.attempts.place is 'Where in the code it was raised.';
comment on column holdfast.attempts.traceback is 'Traceback, redacted, at most 8 KiB.';
comment on column holdfast.attempts.fingerprint is 'Same for errors that are alike.';
comment on column holdfast.attempts.pipeline is 'Pipeline of its stage.';

create table holdfast.checkpoints (
  job_id   uuid not null,
  name     text not null,
  data     json not null,
  attempt  integer not null,
  saved_at timestamptz not null,
  constraint checkpoints_pkey primary key (job_id, name)
) with (fillfactor = 70);
comment on table holdfast.checkpoints is 'Saved partial work of a job, by name, kept across attempts.';
comment on column holdfast.checkpoints.job_id is 'The job.';
comment on column holdfast.checkpoints.name is 'Name of the checkpoint or step.';
comment on column holdfast.checkpoints.data is 'What was saved.';
comment on column holdfast.checkpoints.attempt is 'Attempt that saved it.';
comment on column holdfast.checkpoints.saved_at is 'When it was saved.';

create table holdfast.progress (
  job_id     uuid primary key,
  done       bigint not null,
  total      bigint,
  failed     bigint not null default 0,
  note       text,
  updated_at timestamptz not null,
  constraint progress_not_negative check (done >= 0 and total >= 0 and failed >= 0)
) with (fillfactor = 50);
comment on table holdfast.progress is 'How far a job has come, for people.';
comment on column holdfast.progress.job_id is 'The job.';
comment on column holdfast.progress.done is 'Items done.';
comment on column holdfast.progress.total is 'Items in all, if known.';
comment on column holdfast.progress.failed is 'Items that failed.';
comment on column holdfast.progress.note is 'What it is at, in words.';
comment on column holdfast.progress.updated_at is 'When it was last reported.';
