-- What happened, minute by minute: reports read this, not history, so they cost the same however long history is.

create table holdfast.end_counts (
  is_hour      boolean not null default false,
  minute       timestamptz not null,
  what         text not null default 'end',
  queue        text not null,
  task         text not null,
  pipeline     text not null default '',
  stage        text not null default '',
  state        text not null,
  name         text not null default '',
  jobs         bigint not null,
  retried      bigint not null default 0,
  retries      bigint not null default 0,
  tries        bigint not null default 0,
  units        double precision not null default 0,
  cost         double precision not null default 0,
  wait_seconds double precision not null default 0,
  run_seconds  double precision not null default 0,
  wait_tens    jsonb not null default '{}',
  run_tens     jsonb not null default '{}',
  constraint end_counts_pkey primary key (is_hour, minute, what, queue, task, pipeline, stage, state, name)
);
comment on table holdfast.end_counts
  is 'Jobs and stage visits that ended, attempts that went wrong, calls, and jobs enqueued, by minute, and by hour once'
    ' they are old; written by summarise_ends.';
comment on column holdfast.end_counts.is_hour is 'Whether the row is of a whole hour.';
comment on column holdfast.end_counts.minute is 'The minute in which it happened, or the first one of the hour.';
comment on column holdfast.end_counts.what
  is 'What is counted: end (of a job or a stage visit), attempt (that went wrong), call, enqueue, or label (ends by the'
    ' value of their queue''s label).';
comment on column holdfast.end_counts.queue is 'The queue; empty for enqueued jobs of a pipeline.';
comment on column holdfast.end_counts.task is 'The task; empty for enqueued jobs of a pipeline.';
comment on column holdfast.end_counts.pipeline is 'The pipeline; empty means none.';
comment on column holdfast.end_counts.stage is 'The stage; empty means none.';
comment on column holdfast.end_counts.state
  is 'Of an end: completed, rejected, cancelled, dead, or advanced (the job went on to another stage). Of an attempt'
    ' its outcome. Of a call: model, tool, model_error or tool_error.';
comment on column holdfast.end_counts.name
  is 'Of an attempt the error class, of a call the model or tool, of a label its value.';
comment on column holdfast.end_counts.jobs is 'How many ends, attempts, calls or jobs.';
comment on column holdfast.end_counts.retried is 'How many of the ends came after a retried failure or loss.';
comment on column holdfast.end_counts.retries is 'Failures and losses that were retried before these ends.';
comment on column holdfast.end_counts.tries is 'Attempts of the stage visits that ended.';
comment on column holdfast.end_counts.units is 'Units that they used.';
comment on column holdfast.end_counts.cost is 'What these cost.';
comment on column holdfast.end_counts.wait_seconds is 'How long they waited, in all.';
comment on column holdfast.end_counts.run_seconds is 'How long they ran, in all; of an end its last attempt.';
comment on column holdfast.end_counts.wait_tens
  is 'How long they waited: count by tenths of the decimal logarithm of milliseconds.';
comment on column holdfast.end_counts.run_tens
  is 'How long they ran: count by tenths of the decimal logarithm of milliseconds.';

create table holdfast.end_totals (
  what         text not null,
  queue        text not null,
  task         text not null,
  pipeline     text not null,
  stage        text not null,
  state        text not null,
  name         text not null,
  jobs         bigint not null,
  retried      bigint not null,
  retries      bigint not null,
  tries        bigint not null,
  units        double precision not null,
  cost         double precision not null,
  wait_seconds double precision not null,
  run_seconds  double precision not null,
  wait_tens    jsonb not null,
  run_tens     jsonb not null,
  constraint end_totals_pkey primary key (what, queue, task, pipeline, stage, state, name)
);
comment on table holdfast.end_totals
  is 'The sums of end_counts since the beginning, without labels. They never fall: the statement that changes a minute'
    ' adds the difference here, and nothing is removed.';
comment on column holdfast.end_totals.what
  is 'What is counted: end (of a job or a stage visit), attempt (that went wrong), call, enqueue, or label (ends by the'
    ' value of their queue''s label).';
comment on column holdfast.end_totals.queue is 'The queue; empty for enqueued jobs of a pipeline.';
comment on column holdfast.end_totals.task is 'The task; empty for enqueued jobs of a pipeline.';
comment on column holdfast.end_totals.pipeline is 'The pipeline; empty means none.';
comment on column holdfast.end_totals.stage is 'The stage; empty means none.';
comment on column holdfast.end_totals.state
  is 'Of an end: completed, rejected, cancelled, dead, or advanced (the job went on to another stage). Of an attempt'
    ' its outcome. Of a call: model, tool, model_error or tool_error.';
comment on column holdfast.end_totals.name is 'Of an attempt the error class, of a call the model or tool.';
comment on column holdfast.end_totals.jobs is 'How many ends, attempts, calls or jobs.';
comment on column holdfast.end_totals.retried is 'How many of the ends came after a retried failure or loss.';
comment on column holdfast.end_totals.retries is 'Failures and losses that were retried before these ends.';
comment on column holdfast.end_totals.tries is 'Attempts of the stage visits that ended.';
comment on column holdfast.end_totals.units is 'Units that they used.';
comment on column holdfast.end_totals.cost is 'What these cost.';
comment on column holdfast.end_totals.wait_seconds is 'How long they waited, in all.';
comment on column holdfast.end_totals.run_seconds is 'How long they ran, in all; of an end its last attempt.';
comment on column holdfast.end_totals.wait_tens
  is 'How long they waited: count by tenths of the decimal logarithm of milliseconds.';
comment on column holdfast.end_totals.run_tens
  is 'How long they ran: count by tenths of the decimal logarithm of milliseconds.';

create table holdfast.replayed_ends (
  id         uuid not null,
  generation integer not null,
  ended_at   timestamptz not null,
  state      text not null,
  queue      text not null,
  task       text not null,
  pipeline   text,
  stage      text,
  parent_id  uuid,
  worker_id  uuid,
  ready_at   timestamptz,
  started_at timestamptz,
  attempt    integer not null,
  failures   integer not null,
  losses     integer not null,
  units      double precision,
  cost       double precision,
  attempts_before integer,
  units_before double precision,
  cost_before double precision,
  labels     jsonb,
  constraint replayed_ends_pkey primary key (ended_at, id, generation)
);
comment on table holdfast.replayed_ends
  is 'Ends that a replay took out of history before they were counted for good: they happened all the same.';
comment on column holdfast.replayed_ends.id is 'The job.';
comment on column holdfast.replayed_ends.generation is 'Life of the job that ended so.';
comment on column holdfast.replayed_ends.ended_at is 'When it ended.';
comment on column holdfast.replayed_ends.state is 'How it ended.';
comment on column holdfast.replayed_ends.queue is 'Queue it stood in.';
comment on column holdfast.replayed_ends.task is 'Task it had.';
comment on column holdfast.replayed_ends.pipeline is 'Pipeline it went through.';
comment on column holdfast.replayed_ends.stage is 'Stage it ended at.';
comment on column holdfast.replayed_ends.parent_id is 'Job whose handler enqueued it.';
comment on column holdfast.replayed_ends.worker_id is 'Worker that ran the last attempt, if it ended while running.';
comment on column holdfast.replayed_ends.ready_at is 'When it last became ready.';
comment on column holdfast.replayed_ends.started_at is 'When its last attempt began, if it ended while running.';
comment on column holdfast.replayed_ends.attempt is 'Number of its last try.';
comment on column holdfast.replayed_ends.failures is 'Attempts that went wrong.';
comment on column holdfast.replayed_ends.losses is 'Attempts whose worker vanished.';
comment on column holdfast.replayed_ends.units is 'What its attempts used up.';
comment on column holdfast.replayed_ends.cost is 'What its attempts cost.';
comment on column holdfast.replayed_ends.attempts_before is 'As in history.';
comment on column holdfast.replayed_ends.units_before is 'As in history.';
comment on column holdfast.replayed_ends.cost_before is 'As in history.';
comment on column holdfast.replayed_ends.labels is 'Marks for people and filters.';

create table holdfast.statistics_settings (
  only_row     boolean primary key default true,
  keep_minutes interval not null default '7 days',
  keep_hours   interval not null default '30 days',
  constraint statistics_settings_is_one_row check (only_row),
  constraint statistics_kept_in_order check (keep_minutes >= '1 day' and keep_hours >= keep_minutes)
);
comment on table holdfast.statistics_settings is 'How long statistics are kept; one row.';
comment on column holdfast.statistics_settings.only_row is 'Always true: keeps the table to one row.';
comment on column holdfast.statistics_settings.keep_minutes is 'How long by minute, before they become hours.';
comment on column holdfast.statistics_settings.keep_hours is 'How long by hour.';
insert into holdfast.statistics_settings default values;
