-- What work is called and how it is treated: queues, tasks and the lanes that a claim walks.

create table holdfast.queues (
  name          text primary key,
  paused_at     timestamptz,
  paused_reason text,
  priority      smallint,
  max_failures  smallint,
  max_losses    smallint not null default 3,
  retry         jsonb,
  timeout       interval,
  max_wait      interval not null default '24 hours',
  rescue_delay  interval not null default '0',
  cancel_grace  interval not null default '30 seconds',
  ageing        double precision,
  weight        double precision not null default 1,
  detail        text not null default 'basic',
  retention     interval not null default '30 days',
  payload_limit integer not null default 262144,
  endpoint      text,
  notify        boolean not null default true,
  created_at    timestamptz not null default clock_timestamp(),
  constraint queue_name_is_short check (length(name) between 1 and 200),
  constraint queue_priority_in_range check (priority between 0 and 100),
  constraint queue_max_failures_positive check (max_failures >= 1),
  constraint queue_max_losses_positive check (max_losses >= 1),
  constraint queue_timeout_positive check (timeout > '0'),
  constraint queue_max_wait_positive check (max_wait > '0'),
  constraint queue_rescue_delay_not_negative check (rescue_delay >= '0'),
  constraint queue_cancel_grace_not_negative check (cancel_grace >= '0'),
  constraint queue_ageing_positive check (ageing between 0.000001 and 1000000),
  constraint queue_weight_positive check (weight between 0.000001 and 1000000),
  constraint queue_detail_known check (detail in ('off', 'basic', 'full')),
  constraint queue_retention_positive check (retention > '0'),
  constraint queue_payload_limit_positive check (payload_limit > 0)
);
comment on table holdfast.queues is 'A queue: work under one name, with its policy.';
comment on column holdfast.queues.name is 'What producers and workers call it.';
comment on column holdfast.queues.paused_at is 'Since when no job of it is claimed; null while it runs.';
comment on column holdfast.queues.paused_reason is 'Why it was paused, in the words of whoever did.';
comment on column holdfast.queues.priority is 'Priority of jobs that name none, 0 to 100; null means 50.';
comment on column holdfast.queues.max_failures is 'Failures that make a job dead, unless its task or the job itself says otherwise.';
comment on column holdfast.queues.max_losses is 'Vanished workers that make a job dead.';
comment on column holdfast.queues.retry is 'Retry policy, unless the task or the job itself has one.';
comment on column holdfast.queues.timeout is 'How long one attempt may run; null means as long as it likes.';
comment on column holdfast.queues.max_wait is 'How long a job may be deferred without a break before it is dead.';
comment on column holdfast.queues.rescue_delay is 'How long a job rests after its worker vanished.';
comment on column holdfast.queues.cancel_grace is 'How long a running job has to obey a cancel before it is fenced.';
comment on column holdfast.queues.ageing is 'Priority points a ready job gains per minute of waiting; null means none.';
comment on column holdfast.queues.weight is 'How often workers look here first, relative to their other queues.';
comment on column holdfast.queues.detail is 'How much of the audit trail is kept: off, basic or full.';
comment on column holdfast.queues.retention is 'How long ended jobs are kept.';
comment on column holdfast.queues.payload_limit is 'Largest payload in bytes.';
comment on column holdfast.queues.endpoint is 'Endpoint that its jobs call unless they name another.';
comment on column holdfast.queues.notify is 'Whether an enqueue wakes idle workers by NOTIFY; they poll in any case.';
comment on column holdfast.queues.created_at is 'When it was first named.';

create table holdfast.tasks (
  name         text primary key,
  queue        text,
  priority     smallint,
  max_failures smallint,
  retry        jsonb,
  timeout      interval,
  endpoint     text,
  declared_at  timestamptz not null default clock_timestamp(),
  constraint task_priority_in_range check (priority between 0 and 100),
  constraint task_max_failures_positive check (max_failures >= 1),
  constraint task_timeout_positive check (timeout > '0')
);
comment on table holdfast.tasks is 'A task: the name that picks the handler, with defaults that win over its queue''s.';
comment on column holdfast.tasks.name is 'What jobs call it.';
comment on column holdfast.tasks.queue is 'Queue of jobs that name none; null means default.';
comment on column holdfast.tasks.priority is 'Priority of jobs that name none.';
comment on column holdfast.tasks.max_failures is 'Failures that make a job dead, unless the job says otherwise.';
comment on column holdfast.tasks.retry is 'Retry policy, unless the job has one.';
comment on column holdfast.tasks.timeout is 'How long one attempt may run, unless the job says otherwise.';
comment on column holdfast.tasks.endpoint is 'Endpoint that its jobs call unless they name another.';
comment on column holdfast.tasks.declared_at is 'When an application last declared it.';

create table holdfast.lanes (
  lane     integer generated always as identity primary key,
  queue    text not null,
  endpoint text not null default '',
  "group"  text not null default '',
  constraint lane_is_unique unique (queue, endpoint, "group")
);
comment on table holdfast.lanes is 'A lane: jobs of one queue, endpoint and group, in one order. It leads the claim index.';
comment on column holdfast.lanes.lane is 'Number that jobs carry.';
comment on column holdfast.lanes.queue is 'Queue of its jobs.';
comment on column holdfast.lanes.endpoint is 'Endpoint of its jobs; empty means none.';
comment on column holdfast.lanes."group" is 'Only workers of this group claim here; empty means any.';
-- Jobs that have not ended. Ends move to history, so this table stays small and hot.
-- Columns that a claim changes stand together: the rest of the row is then left out of the update's WAL.

create table holdfast.jobs (
  id              uuid not null,
  lane            integer not null,
  priority        smallint not null,
  urgency         smallint not null,
  state           text not null,
  rank_at         timestamptz,
  due_at          timestamptz,
  attempt         integer not null default 0,
  failures        integer not null default 0,
  losses          integer not null default 0,
  deferrals       integer not null default 0,
  worker_id       uuid,
  token           uuid,
  started_at      timestamptz,
  stop_at         timestamptz,
  cancel_asked_at timestamptz,
  deferred_since  timestamptz,
  waits_for       text,
  generation      integer not null default 1,
  visit           integer not null default 1,
  units           double precision,
  estimate        double precision,
  in_flight_at_start integer,
  is_probe        boolean,
  lead            interval,
  queue           text not null,
  task            text not null,
  pipeline        text,
  stage           text,
  run_id          uuid,
  parent_id       uuid,
  order_key       text,
  order_seq       bigint,
  unique_scope    text,
  unique_key      text,
  timeout         interval,
  deadline        timestamptz,
  max_failures    smallint,
  retry           jsonb,
  labels          jsonb,
  payload         json,
  constraint jobs_pkey primary key (id),
  constraint job_state_is_live check (state in ('waiting', 'scheduled', 'ready', 'running')),
  constraint job_runs_with_worker_and_token check (
    (state = 'running') = (token is not null)
    and (token is null) = (worker_id is null)
    and (token is null) = (started_at is null)
  ),
  constraint job_ready_has_rank check (state not in ('ready', 'running') or rank_at is not null),
  constraint job_scheduled_has_due check (state <> 'scheduled' or due_at is not null),
  constraint job_waits_for_something check ((state = 'waiting') = (waits_for is not null)),
  constraint job_priority_in_range check (priority between 0 and 100),
  constraint job_counters_not_negative check (attempt >= 0 and failures >= 0 and losses >= 0 and deferrals >= 0),
  constraint job_order_has_place check ((order_key is null) = (order_seq is null)),
  constraint job_max_failures_positive check (max_failures >= 1)
) with (
  fillfactor = 85,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 100000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = off
);

create index jobs_claim on holdfast.jobs (lane, urgency desc, rank_at, id) where state = 'ready';
-- Only jobs that are put off enter it, so those that go straight through never pay for it.
create index jobs_parked on holdfast.jobs (lane, state) where state in ('waiting', 'scheduled');
create index jobs_due on holdfast.jobs (due_at) where state = 'scheduled';
create index jobs_running on holdfast.jobs (worker_id) where state = 'running';
create index jobs_deadline on holdfast.jobs (deadline) where deadline is not null;
create index jobs_order on holdfast.jobs (order_key, order_seq) where order_key is not null;
create index jobs_run on holdfast.jobs (run_id, id) where run_id is not null;
create index jobs_parent on holdfast.jobs (parent_id) where parent_id is not null;

comment on table holdfast.jobs is 'A job that has not ended: a stored unit of work.';
comment on column holdfast.jobs.id is 'UUID version 7: it carries the time of creation.';
comment on column holdfast.jobs.lane is 'Where it queues: queue, endpoint and group in one number.';
comment on column holdfast.jobs.priority is '0 to 100, higher first.';
comment on column holdfast.jobs.urgency is 'Priority as the claim index sorts it; 0 for all jobs of a queue with ageing.';
comment on column holdfast.jobs.state is 'waiting, scheduled, ready or running.';
comment on column holdfast.jobs.rank_at is 'When it became ready, less its lead: the order within an urgency.';
comment on column holdfast.jobs.due_at is 'When a scheduled job becomes ready.';
comment on column holdfast.jobs.attempt is 'Number of the latest try; it only rises.';
comment on column holdfast.jobs.failures is 'Attempts that went wrong, in this generation and stage.';
comment on column holdfast.jobs.losses is 'Attempts whose worker vanished, in this generation and stage.';
comment on column holdfast.jobs.deferrals is 'Attempts put off at no cost: rate limits, snoozes, releases, outages of ours.';
comment on column holdfast.jobs.worker_id is 'Worker that runs it.';
comment on column holdfast.jobs.token is 'Mark of the claim that runs it; every write for the job must carry it.';
comment on column holdfast.jobs.started_at is 'When this attempt began.';
comment on column holdfast.jobs.stop_at is 'When this attempt must have ended.';
comment on column holdfast.jobs.cancel_asked_at is 'When a cancel of the running job was asked for.';
comment on column holdfast.jobs.deferred_since is 'Since when it has been deferred without a break.';
comment on column holdfast.jobs.waits_for is 'What a waiting job waits for: order, children, signal or cap.';
comment on column holdfast.jobs.generation is 'Life of the job: each replay starts the next.';
comment on column holdfast.jobs.visit is 'Count of stage visits; a loop back to a stage is a new visit.';
comment on column holdfast.jobs.units is 'What its attempts have used up so far.';
comment on column holdfast.jobs.estimate is 'Units that one attempt is expected to use.';
comment on column holdfast.jobs.in_flight_at_start is 'Calls of its endpoint when this attempt began, itself included: it holds a permit. Null: it holds none.';
comment on column holdfast.jobs.is_probe is 'This attempt probes an endpoint whose circuit was open.';
comment on column holdfast.jobs.lead is 'Head start that its priority is worth in a queue with ageing.';
comment on column holdfast.jobs.queue is 'Queue it stands in.';
comment on column holdfast.jobs.task is 'Name that picks the handler.';
comment on column holdfast.jobs.pipeline is 'Pipeline it goes through.';
comment on column holdfast.jobs.stage is 'Stage of the pipeline it is at.';
comment on column holdfast.jobs.run_id is 'Run it belongs to.';
comment on column holdfast.jobs.parent_id is 'Job whose handler enqueued it.';
comment on column holdfast.jobs.order_key is 'Jobs of one order key run one at a time, in commit order.';
comment on column holdfast.jobs.order_seq is 'Its place among the jobs of its order key.';
comment on column holdfast.jobs.unique_scope is 'Scope of its unique key.';
comment on column holdfast.jobs.unique_key is 'Key that makes enqueues of the same work one job.';
comment on column holdfast.jobs.timeout is 'How long one attempt may run.';
comment on column holdfast.jobs.deadline is 'After this moment the job is no longer worth doing.';
comment on column holdfast.jobs.max_failures is 'Failures that make it dead; null: its task or queue decides.';
comment on column holdfast.jobs.retry is 'Its own retry policy; null: its task or queue decides.';
comment on column holdfast.jobs.labels is 'Marks for people and filters.';
comment on column holdfast.jobs.payload is 'Its input, never changed; null if it lies in payloads because it is large.';

create table holdfast.payloads (
  job_id  uuid primary key,
  payload json not null
);
comment on table holdfast.payloads is 'Payloads above 2 KB, written once: moving them with their jobs would double their WAL.';
comment on column holdfast.payloads.job_id is 'Job it belongs to.';
comment on column holdfast.payloads.payload is 'The payload.';
-- Jobs that have ended, by week of their end.

create table holdfast.history (
  id            uuid not null,
  state         text not null,
  ended_at      timestamptz not null,
  queue         text not null,
  task          text not null,
  lane          integer not null,
  priority      smallint not null,
  attempt       integer not null,
  failures      integer not null,
  losses        integer not null,
  deferrals     integer not null,
  generation    integer not null,
  visit         integer not null,
  units         double precision,
  ready_at      timestamptz,
  started_at    timestamptz,
  worker_id     uuid,
  token         uuid,
  pipeline      text,
  stage         text,
  run_id        uuid,
  parent_id     uuid,
  order_key     text,
  unique_scope  text,
  unique_key    text,
  timeout       interval,
  deadline      timestamptz,
  max_failures  smallint,
  retry         jsonb,
  labels        jsonb,
  reason        text,
  payload       json,
  output        json,
  constraint history_pkey primary key (id, ended_at),
  constraint history_state_is_an_end check (state in ('completed', 'rejected', 'cancelled', 'dead')),
  constraint history_completed_ran check (state <> 'completed' or attempt > 0)
) partition by range (ended_at);

create index history_run on holdfast.history (run_id, id) where run_id is not null;
-- A range is a megabyte: the server takes note of at most 256 full ones until autovacuum comes by, and an unsummarised one is read by all.
create index history_ended on holdfast.history using brin (ended_at) with (pages_per_range = 128, autosummarize = on);
create index history_bad_end on holdfast.history (state, id) where state <> 'completed';

create table holdfast.history_default partition of holdfast.history default;

comment on table holdfast.history is 'Jobs that have ended. A look-up by id needs no partition older than the job itself.';
comment on column holdfast.history.id is 'The job.';
comment on column holdfast.history.state is 'How it ended: completed, rejected, cancelled or dead.';
comment on column holdfast.history.ended_at is 'When it ended.';
comment on column holdfast.history.queue is 'Queue it stood in at the end.';
comment on column holdfast.history.task is 'Task it had at the end.';
comment on column holdfast.history.lane is 'Lane it stood in at the end.';
comment on column holdfast.history.priority is 'Its priority.';
comment on column holdfast.history.attempt is 'Number of its last try.';
comment on column holdfast.history.failures is 'Attempts that went wrong.';
comment on column holdfast.history.losses is 'Attempts whose worker vanished.';
comment on column holdfast.history.deferrals is 'Attempts put off at no cost.';
comment on column holdfast.history.generation is 'Which life of the job ended here.';
comment on column holdfast.history.visit is 'Count of stage visits.';
comment on column holdfast.history.units is 'What its attempts used up.';
comment on column holdfast.history.ready_at is 'When it last became ready.';
comment on column holdfast.history.started_at is 'When its last attempt began, if it ended while running.';
comment on column holdfast.history.worker_id is 'Worker that ran the last attempt, if it ended while running.';
comment on column holdfast.history.token is 'Token that won the end, if it ended while running.';
comment on column holdfast.history.pipeline is 'Pipeline it went through.';
comment on column holdfast.history.stage is 'Stage it ended at.';
comment on column holdfast.history.run_id is 'Run it belongs to.';
comment on column holdfast.history.parent_id is 'Job whose handler enqueued it.';
comment on column holdfast.history.order_key is 'Its order key.';
comment on column holdfast.history.unique_scope is 'Scope of its unique key.';
comment on column holdfast.history.unique_key is 'Its unique key.';
comment on column holdfast.history.timeout is 'How long one attempt could run.';
comment on column holdfast.history.deadline is 'Its deadline.';
comment on column holdfast.history.max_failures is 'Its own limit of failures.';
comment on column holdfast.history.retry is 'Its own retry policy.';
comment on column holdfast.history.labels is 'Marks for people and filters.';
comment on column holdfast.history.reason is 'Why it ended so, where there is something to say.';
comment on column holdfast.history.payload is 'Its input; null if it lies in payloads.';
comment on column holdfast.history.output is 'What it left.';
comment on table holdfast.history_default is 'Catches ends for which no week exists.';

create table holdfast.stage_outputs (
  job_id     uuid not null,
  visit      integer not null,
  stage      text not null,
  generation integer not null,
  output     json,
  attempt    integer not null,
  worker_id  uuid,
  started_at timestamptz,
  ended_at   timestamptz not null,
  constraint stage_outputs_pkey primary key (job_id, generation, visit)
);
comment on table holdfast.stage_outputs is 'What each visited stage of a job left, in order of visit.';
comment on column holdfast.stage_outputs.job_id is 'The job.';
comment on column holdfast.stage_outputs.visit is 'Which stage visit of the job left it.';
comment on column holdfast.stage_outputs.stage is 'Name of the stage.';
comment on column holdfast.stage_outputs.generation is 'Life of the job in which it was left.';
comment on column holdfast.stage_outputs.output is 'The output.';
comment on column holdfast.stage_outputs.attempt is 'Attempt that left it.';
comment on column holdfast.stage_outputs.worker_id is 'Worker that left it.';
comment on column holdfast.stage_outputs.started_at is 'When that attempt began.';
comment on column holdfast.stage_outputs.ended_at is 'When the stage was completed.';
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
  error_type  text,
  message     text,
  place       text,
  traceback   text,
  fingerprint text,
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
comment on column holdfast.attempts.outcome is 'failed, timed_out, deferred (cost nothing), lost, or forgiven (a loss whose worker was heard from again).';
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
comment on column holdfast.attempts.error_type is 'Type of the error.';
comment on column holdfast.attempts.message is 'Error message, sanitised, at most 8 KiB.';
comment on column holdfast.attempts.place is 'Where in the code it was raised.';
comment on column holdfast.attempts.traceback is 'Traceback, redacted, at most 8 KiB.';
comment on column holdfast.attempts.fingerprint is 'Same for errors that are alike.';

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
-- Keys: those that make work unique, and those that put it in order.

create table holdfast.unique_keys (
  scope        text not null,
  key          text not null,
  job_id       uuid not null,
  payload_hash bytea not null,
  until_end    boolean not null,
  expires_at   timestamptz,
  constraint unique_keys_pkey primary key (scope, key),
  constraint unique_key_lives_one_way check (not (until_end and expires_at is not null))
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
create index unique_keys_expiry on holdfast.unique_keys (expires_at) where expires_at is not null;
comment on table holdfast.unique_keys is 'Which job a unique key stands for. A table of its own, since no index spans live and ended jobs.';
comment on column holdfast.unique_keys.scope is 'Within which the key is unique; the task by default.';
comment on column holdfast.unique_keys.key is 'The key.';
comment on column holdfast.unique_keys.job_id is 'The one job.';
comment on column holdfast.unique_keys.payload_hash is 'Hash of its task and payload: the same key with another payload is a conflict.';
comment on column holdfast.unique_keys.until_end is 'The key goes when the job ends.';
comment on column holdfast.unique_keys.expires_at is 'The key goes at this time; null and not until_end means never.';

create table holdfast.order_keys (
  key      text primary key,
  head     uuid not null,
  last_seq bigint not null
) with (fillfactor = 50);
comment on table holdfast.order_keys is 'The line of each order key. Enqueue and end both lock its row, so the order is commit order.';
comment on column holdfast.order_keys.key is 'The key.';
comment on column holdfast.order_keys.head is 'The one job of the key that may run.';
comment on column holdfast.order_keys.last_seq is 'Place of the last job in the line.';

create table holdfast.order_releases (
  id  bigint generated always as identity primary key,
  key text not null
);
comment on table holdfast.order_releases is 'Order keys whose head ended while a producer held the key: their lines are moved up later.';
comment on column holdfast.order_releases.id is 'Number of the row.';
comment on column holdfast.order_releases.key is 'The key.';
-- Runs: jobs submitted together. Nothing on the hot path updates a run's row; it inserts deltas.

create table holdfast.runs (
  id          uuid primary key,
  name        text not null,
  created_at  timestamptz not null,
  sealed_at   timestamptz,
  ended_at    timestamptz,
  cancelled_at timestamptz,
  generation  integer not null default 1,
  total       bigint not null default 0,
  completed   bigint not null default 0,
  rejected    bigint not null default 0,
  cancelled   bigint not null default 0,
  dead        bigint not null default 0,
  on_complete jsonb,
  labels      jsonb,
  constraint run_ends_after_sealing check (ended_at is null or sealed_at is not null),
  constraint run_name_is_short check (length(name) between 1 and 200)
) with (fillfactor = 50);
create index runs_open on holdfast.runs (id) where ended_at is null;
comment on table holdfast.runs is 'A run: jobs submitted together, with one progress and one end.';
comment on column holdfast.runs.id is 'UUID version 7.';
comment on column holdfast.runs.name is 'Its name, for people.';
comment on column holdfast.runs.created_at is 'When it was started.';
comment on column holdfast.runs.sealed_at is 'When the last job was in; only a sealed run can end.';
comment on column holdfast.runs.ended_at is 'When its last job had ended.';
comment on column holdfast.runs.cancelled_at is 'When a cancel was asked for.';
comment on column holdfast.runs.generation is 'Life of the run: each replay of it starts the next.';
comment on column holdfast.runs.total is 'Jobs in it, as folded so far.';
comment on column holdfast.runs.completed is 'Jobs completed, as folded so far.';
comment on column holdfast.runs.rejected is 'Jobs rejected, as folded so far.';
comment on column holdfast.runs.cancelled is 'Jobs cancelled, as folded so far.';
comment on column holdfast.runs.dead is 'Jobs dead, as folded so far.';
comment on column holdfast.runs.on_complete is 'Job to enqueue once when the run has ended: task, payload, and options.';
comment on column holdfast.runs.labels is 'Marks for people and filters.';

create table holdfast.run_deltas (
  id        bigint generated always as identity primary key,
  run_id    uuid not null,
  total     integer not null default 0,
  completed integer not null default 0,
  rejected  integer not null default 0,
  cancelled integer not null default 0,
  dead      integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index run_deltas_run on holdfast.run_deltas (run_id);
comment on table holdfast.run_deltas is 'Changes to runs, one row per statement and run, folded by close_runs.';
comment on column holdfast.run_deltas.id is 'Number of the row.';
comment on column holdfast.run_deltas.run_id is 'The run.';
comment on column holdfast.run_deltas.total is 'Jobs added.';
comment on column holdfast.run_deltas.completed is 'Jobs completed.';
comment on column holdfast.run_deltas.rejected is 'Jobs rejected.';
comment on column holdfast.run_deltas.cancelled is 'Jobs cancelled.';
comment on column holdfast.run_deltas.dead is 'Jobs dead.';
-- Workers. A lease belongs to a worker, not to a job: one row, one update per renewal for all its jobs.

create table holdfast.workers (
  id          uuid primary key,
  "group"     text not null default '',
  queues      text[] not null,
  weights     jsonb not null default '{}',
  tasks       text[] not null default '{}',
  state       text not null default 'working',
  lease       interval not null,
  lease_until timestamptz not null,
  renewed_at  timestamptz not null,
  rescued_at  timestamptz,
  drain_asked boolean not null default false,
  slots       integer not null default 1,
  running     integer not null default 0,
  processed   bigint not null default 0,
  failed      bigint not null default 0,
  host        text,
  pid         integer,
  version     text,
  started_at  timestamptz not null,
  stopped_at  timestamptz,
  metadata    jsonb,
  constraint worker_state_known check (state in ('working', 'draining', 'stopped')),
  constraint worker_stopped_has_time check ((state = 'stopped') = (stopped_at is not null)),
  constraint worker_lease_positive check (lease > '0'),
  constraint worker_slots_positive check (slots >= 1)
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
comment on table holdfast.workers is 'A worker: a process that claims and runs jobs, with its lease. No index on what a renewal changes.';
comment on column holdfast.workers.id is 'Random, one per process start.';
comment on column holdfast.workers."group" is 'Workers that are alike; empty means none.';
comment on column holdfast.workers.queues is 'Queues it claims from.';
comment on column holdfast.workers.weights is 'Its own weights of queues, which win over the queues''.';
comment on column holdfast.workers.tasks is 'Tasks it has handlers for.';
comment on column holdfast.workers.state is 'working, draining or stopped.';
comment on column holdfast.workers.lease is 'How long a renewal is good for.';
comment on column holdfast.workers.lease_until is 'Until when its right to the jobs it claimed lasts.';
comment on column holdfast.workers.renewed_at is 'Last heartbeat.';
comment on column holdfast.workers.rescued_at is 'When its jobs were taken from it, if it has not been heard from since.';
comment on column holdfast.workers.drain_asked is 'An operator asked it to finish and go.';
comment on column holdfast.workers.slots is 'How many jobs it runs at once.';
comment on column holdfast.workers.running is 'Jobs it said it was running at the last heartbeat.';
comment on column holdfast.workers.processed is 'Jobs it has ended or put off so far.';
comment on column holdfast.workers.failed is 'Attempts that failed in it so far.';
comment on column holdfast.workers.host is 'Host it runs on.';
comment on column holdfast.workers.pid is 'Process id on that host.';
comment on column holdfast.workers.version is 'Version of its application.';
comment on column holdfast.workers.started_at is 'When it registered.';
comment on column holdfast.workers.stopped_at is 'When it left.';
comment on column holdfast.workers.metadata is 'Whatever it tells about itself.';
-- What people look at afterwards: dead letters and the audit trail.

create table holdfast.dead_letters (
  job_id      uuid primary key,
  generation  integer not null,
  queue       text not null,
  task        text not null,
  run_id      uuid,
  reason      text not null,
  class       text,
  error_type  text,
  message     text,
  place       text,
  fingerprint text not null,
  died_at     timestamptz not null,
  status      text not null default 'open',
  assignee    text,
  replays     integer not null default 0,
  replayed_at timestamptz,
  replayed_by text,
  outcome     text,
  replaced_by uuid,
  constraint dead_letter_status_known check (status in ('open', 'investigating', 'resolved', 'ignored'))
);
create index dead_letters_by_time on holdfast.dead_letters (died_at, job_id) where replayed_at is null;
create index dead_letters_replaced on holdfast.dead_letters (replaced_by) where replaced_by is not null;
comment on table holdfast.dead_letters is 'A job that ended badly, under triage. It stays when the job is replayed.';
comment on column holdfast.dead_letters.job_id is 'The job.';
comment on column holdfast.dead_letters.generation is 'Life of the job that ended so.';
comment on column holdfast.dead_letters.queue is 'Queue it died in.';
comment on column holdfast.dead_letters.task is 'Task it died in.';
comment on column holdfast.dead_letters.run_id is 'Run it belongs to.';
comment on column holdfast.dead_letters.reason is 'Why it is dead: failed_too_often, lost_too_often, permanent, deferred_too_long, deadline_passed or given_up.';
comment on column holdfast.dead_letters.class is 'Class of its last error.';
comment on column holdfast.dead_letters.error_type is 'Type of its last error.';
comment on column holdfast.dead_letters.message is 'Its last error message.';
comment on column holdfast.dead_letters.place is 'Where in the code its last error was raised.';
comment on column holdfast.dead_letters.fingerprint is 'Same for errors that are alike; the reason where there was no error.';
comment on column holdfast.dead_letters.died_at is 'When it died.';
comment on column holdfast.dead_letters.status is 'Triage: open, investigating, resolved or ignored.';
comment on column holdfast.dead_letters.assignee is 'Who looks into it.';
comment on column holdfast.dead_letters.replays is 'How often it was replayed.';
comment on column holdfast.dead_letters.replayed_at is 'When it was replayed; null while the job is dead.';
comment on column holdfast.dead_letters.replayed_by is 'Who replayed it.';
comment on column holdfast.dead_letters.outcome is 'How its last replay ended; null while that runs.';
comment on column holdfast.dead_letters.replaced_by is 'Job that was enqueued in its place, with another payload.';

create table holdfast.dead_letter_notes (
  id     bigint generated always as identity primary key,
  job_id uuid not null,
  at     timestamptz not null,
  author text,
  note   text not null,
  constraint dead_letter_note_is_bounded check (length(note) between 1 and 8192)
);
create index dead_letter_notes_job on holdfast.dead_letter_notes (job_id, id);
comment on table holdfast.dead_letter_notes is 'What people wrote on dead letters.';
comment on column holdfast.dead_letter_notes.id is 'Number of the note.';
comment on column holdfast.dead_letter_notes.job_id is 'The job.';
comment on column holdfast.dead_letter_notes.at is 'When it was written.';
comment on column holdfast.dead_letter_notes.author is 'Who wrote it.';
comment on column holdfast.dead_letter_notes.note is 'The note.';

create table holdfast.events (
  id         bigint generated always as identity primary key,
  at         timestamptz not null,
  cause      text not null,
  job_id     uuid,
  run_id     uuid,
  queue      text,
  from_state text,
  to_state   text,
  attempt    integer,
  worker_id  uuid,
  actor      text,
  reason     text,
  detail     jsonb
);
create index events_job on holdfast.events (job_id, id) where job_id is not null;
comment on table holdfast.events is 'The audit trail: one row per transition or manual action, inserted only.';
comment on column holdfast.events.id is 'Number of the row.';
comment on column holdfast.events.at is 'When it happened.';
comment on column holdfast.events.cause is 'The verb that did it.';
comment on column holdfast.events.job_id is 'The job, if it was one.';
comment on column holdfast.events.run_id is 'The run, if it was one.';
comment on column holdfast.events.queue is 'The queue.';
comment on column holdfast.events.from_state is 'State before.';
comment on column holdfast.events.to_state is 'State after.';
comment on column holdfast.events.attempt is 'Number of the try.';
comment on column holdfast.events.worker_id is 'Worker that did it.';
comment on column holdfast.events.actor is 'Person or program that asked for it.';
comment on column holdfast.events.reason is 'Why, in its words.';
comment on column holdfast.events.detail is 'Anything else.';

create table holdfast.chores (
  name         text primary key,
  succeeded_at timestamptz not null,
  counts       jsonb not null
) with (fillfactor = 50);
comment on table holdfast.chores is 'When each chore last succeeded, for doctor.';
comment on column holdfast.chores.name is 'Name of the chore.';
comment on column holdfast.chores.succeeded_at is 'When it last ended well.';
comment on column holdfast.chores.counts is 'What it did then.';
-- What ended, minute by minute: reports read this, not history, so they cost the same however long history is.

create table holdfast.end_counts (
  minute    timestamptz not null,
  queue     text not null,
  task      text not null,
  state     text not null,
  jobs      integer not null,
  retried   integer not null,
  wait_tens jsonb not null,
  run_tens  jsonb not null,
  constraint end_counts_pkey primary key (minute, queue, task, state)
);
comment on table holdfast.end_counts is 'Jobs that ended, by minute, queue, task and end; written by summarise_ends, kept for a week.';
comment on column holdfast.end_counts.minute is 'The minute of the end.';
comment on column holdfast.end_counts.queue is 'The queue.';
comment on column holdfast.end_counts.task is 'The task.';
comment on column holdfast.end_counts.state is 'How they ended.';
comment on column holdfast.end_counts.jobs is 'How many.';
comment on column holdfast.end_counts.retried is 'How many of them were tried again after a failure or a loss.';
comment on column holdfast.end_counts.wait_tens is 'How long they waited: count by tenths of the decimal logarithm of milliseconds.';
comment on column holdfast.end_counts.run_tens is 'How long their last attempt ran: count by tenths of the decimal logarithm of milliseconds.';
-- Endpoints: what jobs call, and how much of it they may. One row each; every change of it is HOT.
-- Times are seconds since the epoch on the database's clock, rates are units per second: the rules are arithmetic on them.

create table holdfast.endpoints (
  name                text primary key,
  -- Configuration
  mode                text not null default 'flow',
  min_limit           double precision not null default 1,
  max_limit           double precision not null default 64,
  trip_failures       integer not null default 5,
  trip_quiet          double precision not null default 10,
  open_first          double precision not null default 5,
  open_max            double precision not null default 20,
  static_rate         double precision,
  requests_per_minute integer,
  units_per_minute    double precision,
  budget_per_day      double precision,
  price               double precision not null default 0,
  estimate            double precision,
  shares              jsonb not null default '{}',
  held_open           boolean not null default false,
  -- Limit
  "limit"             double precision not null,
  in_flight           integer not null default 0,
  before              double precision not null,
  slow_start_until    double precision not null,
  last_cut            double precision not null,
  evidence            double precision not null default 0,
  ceiling             double precision,
  ceiling_until       double precision not null,
  ceiling_k           integer not null default 0,
  successes           integer not null default 0,
  errors              integer not null default 0,
  -- Latency
  by_units            boolean,
  samples             integer not null default 0,
  recent              double precision,
  base                double precision,
  tolerance           double precision not null default 1.2,
  slow_limit          double precision,
  slow_s              double precision,
  dip_after           double precision not null default 600,
  -- Trial of a higher limit
  next_trial          double precision not null,
  trial_since         double precision,
  trial_base          double precision,
  trial_y             double precision,
  trial_n             integer not null default 0,
  trial_sum           double precision not null default 0,
  trial_k             integer not null default 0,
  -- Circuit
  circuit             text not null default 'closed',
  open_until          double precision not null,
  open_for            double precision not null,
  probes              integer not null default 0,
  last_probe          double precision not null,
  streak              integer not null default 0,
  last_ok             double precision not null,
  blocked_until       double precision not null,
  -- Rate
  rate                double precision,
  peak                double precision not null default 0,
  rate_clock          double precision not null,
  last_rate_cut       double precision,
  delivered_sum       double precision not null default 0,
  delivered_at        double precision not null,
  delivered_since     double precision,
  -- Budgets
  starts              bigint not null default 0,
  reserved            double precision not null default 0,
  spent_day           date,
  spent               double precision not null default 0,
  constraint endpoint_name_is_short check (length(name) between 1 and 200),
  constraint endpoint_mode_known check (mode in ('fixed', 'aimd', 'aimd_simple', 'flow')),
  constraint endpoint_circuit_known check (circuit in ('closed', 'open', 'half_open')),
  constraint endpoint_range_is_a_range check (min_limit >= 1 and max_limit >= min_limit and max_limit <= 10000),
  constraint endpoint_in_flight_not_negative check (in_flight >= 0),
  constraint endpoint_breaker_positive check (trip_failures >= 1 and trip_quiet >= 0 and open_first > 0 and open_max >= open_first),
  constraint endpoint_requests_in_range check (requests_per_minute between 1 and 100000),
  constraint endpoint_units_positive check (units_per_minute > 0 and static_rate > 0),
  constraint endpoint_money_not_negative check (budget_per_day between 0 and 1e15 and price between 0 and 1e15),
  constraint endpoint_estimate_not_negative check (estimate between 0 and 1e15)
) with (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

create table holdfast.endpoint_starts (
  endpoint text not null,
  slot     integer not null,
  at       double precision not null,
  constraint endpoint_starts_pkey primary key (endpoint, slot)
) with (fillfactor = 50);

create table holdfast.endpoint_seconds (
  endpoint   text not null,
  second     bigint not null,
  started    integer not null default 0,
  ok         integer not null default 0,
  failed     integer not null default 0,
  limited    integer not null default 0,
  other      integer not null default 0,
  units      double precision not null default 0,
  took       double precision not null default 0,
  "limit"    double precision,
  in_flight  integer,
  circuit    text,
  rate       double precision,
  constraint endpoint_seconds_pkey primary key (endpoint, second)
) with (fillfactor = 50);

comment on table holdfast.endpoints is 'An endpoint: a downstream service that jobs call, with its limits and health.';
comment on column holdfast.endpoints.name is 'What jobs and queues call it.';
comment on column holdfast.endpoints.mode is 'How its limit is found: fixed, aimd, aimd_simple or flow.';
comment on column holdfast.endpoints.min_limit is 'Least calls at once.';
comment on column holdfast.endpoints.max_limit is 'Most calls at once.';
comment on column holdfast.endpoints.trip_failures is 'So many failures in a row open the circuit, …';
comment on column holdfast.endpoints.trip_quiet is '… if there was no success for so many seconds.';
comment on column holdfast.endpoints.open_first is 'Seconds that the circuit is open at first.';
comment on column holdfast.endpoints.open_max is 'Seconds that it is open at most.';
comment on column holdfast.endpoints.static_rate is 'Units per second that are never exceeded.';
comment on column holdfast.endpoints.requests_per_minute is 'Most starts in any sliding minute.';
comment on column holdfast.endpoints.units_per_minute is 'Most units in any sliding minute, settled and reserved.';
comment on column holdfast.endpoints.budget_per_day is 'Most money in a day (UTC), settled and reserved.';
comment on column holdfast.endpoints.price is 'Money per unit.';
comment on column holdfast.endpoints.estimate is 'Units that a call is expected to use, if the job does not say.';
comment on column holdfast.endpoints.shares is 'Queues with a guaranteed part of the permits: {queue: part between 0 and 1}.';
comment on column holdfast.endpoints.held_open is 'An operator keeps the circuit open.';
comment on column holdfast.endpoints."limit" is 'Calls that may run at once now.';
comment on column holdfast.endpoints.in_flight is 'Calls that run now: permits given out.';
comment on column holdfast.endpoints.before is 'Limit before the first cut of a series.';
comment on column holdfast.endpoints.slow_start_until is 'Below it the limit grows fast.';
comment on column holdfast.endpoints.last_cut is 'When the limit was last cut.';
comment on column holdfast.endpoints.evidence is 'Of overload: failures add, successes take off.';
comment on column holdfast.endpoints.ceiling is 'Level at which errors appeared.';
comment on column holdfast.endpoints.ceiling_until is 'Until when the limit stays below the ceiling.';
comment on column holdfast.endpoints.ceiling_k is 'Steps above the ceiling that failed, at most 4.';
comment on column holdfast.endpoints.successes is 'Modes aimd: successes counted.';
comment on column holdfast.endpoints.errors is 'Modes aimd: errors counted.';
comment on column holdfast.endpoints.by_units is 'Whether latency is measured per unit; null until the first success.';
comment on column holdfast.endpoints.samples is 'Successes measured.';
comment on column holdfast.endpoints.recent is 'Short mean of the logarithm of seconds per unit.';
comment on column holdfast.endpoints.base is 'The same without load.';
comment on column holdfast.endpoints.tolerance is 'Slow-down that is accepted.';
comment on column holdfast.endpoints.slow_limit is 'Limit when it became too slow.';
comment on column holdfast.endpoints.slow_s is 'Slow-down then.';
comment on column holdfast.endpoints.dip_after is 'Seconds without a cut until the next dip.';
comment on column holdfast.endpoints.next_trial is 'Earliest time of the next trial of a higher limit.';
comment on column holdfast.endpoints.trial_since is 'When the trial began; null: none is on.';
comment on column holdfast.endpoints.trial_base is 'Limit to go back to.';
comment on column holdfast.endpoints.trial_y is 'Recent latency when it began.';
comment on column holdfast.endpoints.trial_n is 'Calls measured in it.';
comment on column holdfast.endpoints.trial_sum is 'Their latencies.';
comment on column holdfast.endpoints.trial_k is 'Trials without gain in a row, at most 4.';
comment on column holdfast.endpoints.circuit is 'closed, open or half_open.';
comment on column holdfast.endpoints.open_until is 'Until when it is open.';
comment on column holdfast.endpoints.open_for is 'Length of the present or next opening.';
comment on column holdfast.endpoints.probes is 'Probes that are out.';
comment on column holdfast.endpoints.last_probe is 'When the last probe started.';
comment on column holdfast.endpoints.streak is 'Failures in a row.';
comment on column holdfast.endpoints.last_ok is 'When a call last succeeded.';
comment on column holdfast.endpoints.blocked_until is 'Nothing starts before.';
comment on column holdfast.endpoints.rate is 'Units per second at present; null: off.';
comment on column holdfast.endpoints.peak is 'Rate at which it said too many.';
comment on column holdfast.endpoints.rate_clock is 'When all that was admitted will have been delivered.';
comment on column holdfast.endpoints.last_rate_cut is 'When the rate was last cut.';
comment on column holdfast.endpoints.delivered_sum is 'Decayed sum of units delivered.';
comment on column holdfast.endpoints.delivered_at is 'When that was last updated.';
comment on column holdfast.endpoints.delivered_since is 'First delivery.';
comment on column holdfast.endpoints.starts is 'Calls started in all; the place in the ring of starts.';
comment on column holdfast.endpoints.reserved is 'Units that running calls are expected to use.';
comment on column holdfast.endpoints.spent_day is 'Day that spent is for.';
comment on column holdfast.endpoints.spent is 'Money spent on that day.';
comment on table holdfast.endpoint_starts is 'A ring of the latest starts of an endpoint with requests_per_minute: the slot to be written next is the oldest.';
comment on column holdfast.endpoint_starts.endpoint is 'The endpoint.';
comment on column holdfast.endpoint_starts.slot is 'Place in the ring.';
comment on column holdfast.endpoint_starts.at is 'When that call started.';
comment on table holdfast.endpoint_seconds is 'What an endpoint did, second by second, for charts and for sliding minutes; kept for six hours.';
comment on column holdfast.endpoint_seconds.endpoint is 'The endpoint.';
comment on column holdfast.endpoint_seconds.second is 'The second since the epoch.';
comment on column holdfast.endpoint_seconds.started is 'Calls started in it.';
comment on column holdfast.endpoint_seconds.ok is 'Calls that succeeded in it.';
comment on column holdfast.endpoint_seconds.failed is 'Calls that failed in it.';
comment on column holdfast.endpoint_seconds.limited is 'Calls answered with too many.';
comment on column holdfast.endpoint_seconds.other is 'Calls that ended otherwise.';
comment on column holdfast.endpoint_seconds.units is 'Units used by calls that ended in it.';
comment on column holdfast.endpoint_seconds.took is 'Seconds that successful calls took, summed.';
comment on column holdfast.endpoint_seconds."limit" is 'Limit at its end.';
comment on column holdfast.endpoint_seconds.in_flight is 'Calls running at its end.';
comment on column holdfast.endpoint_seconds.circuit is 'Circuit at its end.';
comment on column holdfast.endpoint_seconds.rate is 'Rate at its end.';
