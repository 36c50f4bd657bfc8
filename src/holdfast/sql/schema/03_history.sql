-- Jobs that have ended, by week of their end.

create table holdfast.history (
  id            uuid not null,
  state         text not null,
  ended_at      timestamptz not null,
  queue         text not null,
  task          text not null,
  lane          integer not null,
  login_id      integer,
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
  pipeline_version integer,
  run_id        uuid,
  parent_id     uuid,
  order_key     text,
  order_seq     bigint,
  unique_scope  text,
  unique_key    text,
  timeout       interval,
  deadline      timestamptz,
  max_failures  smallint,
  retry         jsonb,
  labels        jsonb,
  origin        text,
  claimed_actor text,
  cost          double precision,
  units_before  double precision,
  cost_before   double precision,
  attempts_before integer,
  trace         jsonb,
  rules         jsonb,
  reason        text,
  payload       json,
  output        json,
  constraint history_pkey primary key (id, ended_at),
  constraint history_state_is_an_end check (state in ('completed', 'rejected', 'cancelled', 'dead')),
  constraint history_completed_ran check (state <> 'completed' or attempt > 0)
) partition by range (ended_at);

create index history_run on holdfast.history (run_id, id) where run_id is not null;
create index history_unique_key on holdfast.history (unique_key, id) where unique_key is not null;
-- One range per megabyte: the server queues at most 256 full ranges until autovacuum runs, and every scan reads an
-- unsummarised range.
create index history_ended on holdfast.history using brin (ended_at) with (pages_per_range = 128, autosummarize = on);
create index history_bad_end on holdfast.history (state, id) where state <> 'completed';
create index history_internal on holdfast.history (id) where queue = 'holdfast';

create table holdfast.history_default partition of holdfast.history default;

comment on table holdfast.history
  is 'Jobs that have ended. A look-up by id needs no partition older than the job itself.';
comment on column holdfast.history.id is 'The job.';
comment on column holdfast.history.state is 'How it ended: completed, rejected, cancelled or dead.';
comment on column holdfast.history.ended_at is 'When it ended.';
comment on column holdfast.history.queue is 'Queue it stood in at the end.';
comment on column holdfast.history.task is 'Task it had at the end.';
comment on column holdfast.history.lane is 'Lane it stood in at the end.';
comment on column holdfast.history.login_id is 'Database login that enqueued it.';
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
comment on column holdfast.history.pipeline_version is 'Version of the pipeline it was on.';
comment on column holdfast.history.run_id is 'Run it belongs to.';
comment on column holdfast.history.parent_id is 'Job whose handler enqueued it.';
comment on column holdfast.history.order_key is 'Its order key.';
comment on column holdfast.history.order_seq is 'Its place among the jobs of its order key.';
comment on column holdfast.history.unique_scope is 'Scope of its unique key.';
comment on column holdfast.history.unique_key is 'Its unique key.';
comment on column holdfast.history.timeout is 'How long one attempt could run.';
comment on column holdfast.history.deadline is 'Its deadline.';
comment on column holdfast.history.max_failures is 'Its own limit of failures.';
comment on column holdfast.history.retry is 'Its own retry policy.';
comment on column holdfast.history.labels is 'Marks for people and filters.';
comment on column holdfast.history.origin is 'What caused it; null: automatic.';
comment on column holdfast.history.claimed_actor is 'Name that its caller claimed to act for; not checked.';
comment on column holdfast.history.cost is 'What its attempts cost; null: nothing with a price.';
comment on column holdfast.history.units_before is 'Units when its last stage visit began, or its replay; null: none.';
comment on column holdfast.history.cost_before is 'Cost when its last stage visit began, or its replay; null: none.';
comment on column holdfast.history.attempts_before
  is 'Number of its latest try when its last stage visit began, or its replay; null: 0.';
comment on column holdfast.history.trace is 'W3C trace context, as in jobs.';
comment on column holdfast.history.rules is 'Rules that matched when it was enqueued, as in jobs.';
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
  queue      text,
  task       text,
  pipeline   text,
  ready_at   timestamptz,
  retries    integer,
  tries      integer,
  units      double precision,
  cost       double precision,
  constraint stage_outputs_pkey primary key (job_id, generation, visit)
);
-- Those that a job left for another stage: statistics count them.
create index stage_outputs_left on holdfast.stage_outputs (ended_at) where queue is not null;
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
comment on column holdfast.stage_outputs.queue
  is 'Queue it stood in; null for the last stage, whose figures are in history, and for stages of branches.';
comment on column holdfast.stage_outputs.task is 'Task of the stage.';
comment on column holdfast.stage_outputs.pipeline is 'Pipeline of the stage.';
comment on column holdfast.stage_outputs.ready_at is 'When it last became ready there.';
comment on column holdfast.stage_outputs.retries is 'Failures and losses of this visit.';
comment on column holdfast.stage_outputs.tries is 'Attempts of this visit.';
comment on column holdfast.stage_outputs.units is 'What this visit used up.';
comment on column holdfast.stage_outputs.cost is 'What this visit cost.';
