-- Pipelines and their stages, and what jobs wait for.

create table holdfast.pipelines (
  name        text not null,
  version     integer not null,
  definition  jsonb not null,
  declared_at timestamptz not null,
  constraint pipelines_pkey primary key (name, version),
  constraint pipeline_name_is_short check (length(name) between 1 and 200),
  constraint pipeline_version_positive check (version >= 1)
);
comment on table holdfast.pipelines is 'A pipeline in each of its versions: jobs finish on the one they started with.';
comment on column holdfast.pipelines.name is 'Its name.';
comment on column holdfast.pipelines.version is 'A changed definition is the next version.';
comment on column holdfast.pipelines.definition is 'Its stages in order, as they were declared.';
comment on column holdfast.pipelines.declared_at is 'When this version was first declared.';

create table holdfast.stages (
  pipeline   text not null,
  version    integer not null,
  stage      text not null,
  place      integer not null,
  next       text,
  task       text not null,
  queue      text not null,
  lane       integer not null,
  timeout    interval,
  max_visits integer not null default 10,
  on_reject  text not null default 'end',
  constraint stages_pkey primary key (pipeline, version, stage),
  constraint stage_name_is_short check (length(stage) between 1 and 200),
  constraint stage_max_visits_in_range check (max_visits between 1 and 1000),
  constraint stage_timeout_positive check (timeout > '0'),
  constraint stage_on_reject_known check (on_reject in ('end', 'retry', 'dead'))
);
comment on table holdfast.stages is 'The stages of each version of a pipeline, as a job on its way looks them up.';
comment on column holdfast.stages.pipeline is 'The pipeline.';
comment on column holdfast.stages.version is 'Version of the pipeline.';
comment on column holdfast.stages.stage is 'Name of the stage.';
comment on column holdfast.stages.place is 'Its place in the order, from 1.';
comment on column holdfast.stages.next is 'Stage that follows if the handler names none; null for the last.';
comment on column holdfast.stages.task is 'Task that picks its handler.';
comment on column holdfast.stages.queue is 'Queue that its jobs stand in.';
comment on column holdfast.stages.lane is 'Lane of that queue, with its endpoint and group.';
comment on column holdfast.stages.timeout is 'How long one attempt may run; null: its task or queue decides.';
comment on column holdfast.stages.max_visits is 'How often a job may enter it in one life, so that loops end.';
comment on column holdfast.stages.on_reject is 'What a rejection does: end (as rejected), retry, or dead.';

create table holdfast.waits (
  job_id     uuid not null,
  generation integer not null,
  visit      integer not null,
  name       text not null,
  run_id     uuid,
  until      timestamptz,
  began_at   timestamptz not null,
  constraint waits_pkey primary key (job_id, generation, visit, name),
  constraint wait_name_is_short check (length(name) between 1 and 220)
);
comment on table holdfast.waits is 'What a stage visit of a job has waited for or waits for: signals and children.';
comment on column holdfast.waits.job_id is 'The job.';
comment on column holdfast.waits.generation is 'Life of the job.';
comment on column holdfast.waits.visit is 'Stage visit of the job.';
comment on column holdfast.waits.name is 'signal: or children: and a name.';
comment on column holdfast.waits.run_id is 'Run of the children.';
comment on column holdfast.waits.until is 'When the wait is over even if nothing came; null: never.';
comment on column holdfast.waits.began_at is 'When it was first asked for.';

create table holdfast.signals (
  id      bigint generated always as identity primary key,
  job_id  uuid not null,
  name    text not null,
  data    json not null,
  actor   text,
  sent_at timestamptz not null,
  taken_generation integer,
  taken_visit      integer,
  constraint signal_name_is_short check (length(name) between 1 and 200)
);
create index signals_job on holdfast.signals (job_id, name);
comment on table holdfast.signals is 'What people and programs told jobs by name; kept until a wait takes it.';
comment on column holdfast.signals.id is 'Number of the row.';
comment on column holdfast.signals.job_id is 'The job.';
comment on column holdfast.signals.name is 'What the job waits for.';
comment on column holdfast.signals.data is 'What it was told.';
comment on column holdfast.signals.actor is 'Who told it.';
comment on column holdfast.signals.sent_at is 'When.';
comment on column holdfast.signals.taken_generation is 'Life of the job that took it; null while none has.';
comment on column holdfast.signals.taken_visit is 'Stage visit that took it.';

-- The stage that a job enters, as functions pass it on; no table has it.
create type holdfast.stage_entry as (
  job_id   uuid,
  visit    integer,
  stage    text,
  task     text,
  queue    text,
  lane     integer,
  timeout  interval,
  priority smallint,
  delay    interval,
  units    double precision
);
comment on type holdfast.stage_entry
  is 'The stage that a job enters, with what it changes in the job and the units of the stage that it leaves. Only'
    ' between functions; no table has it.';
