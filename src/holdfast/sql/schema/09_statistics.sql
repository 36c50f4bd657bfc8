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

create table holdfast.depth_samples (
  queue        text not null,
  minute       timestamptz not null,
  began_at     timestamptz not null,
  sampled_at   timestamptz not null,
  waiting      bigint not null,
  scheduled    bigint not null,
  ready        bigint not null,
  running      bigint not null,
  oldest_ready timestamptz,
  constraint depth_samples_pkey primary key (queue, minute)
);
create index depth_samples_minute on holdfast.depth_samples (minute);
comment on table holdfast.depth_samples
  is 'How many jobs of a queue were live, counted exactly once a minute by sample_depths. A queue that stays empty has'
    ' one row of zeros, not one each minute.';
comment on column holdfast.depth_samples.queue is 'The queue.';
comment on column holdfast.depth_samples.minute is 'The minute in which the count ended.';
comment on column holdfast.depth_samples.began_at
  is 'When its count began; equal to sampled_at if all was counted at one moment.';
comment on column holdfast.depth_samples.sampled_at is 'When its count ended.';
comment on column holdfast.depth_samples.waiting is 'Jobs in state waiting.';
comment on column holdfast.depth_samples.scheduled is 'Jobs in state scheduled.';
comment on column holdfast.depth_samples.ready is 'Jobs in state ready.';
comment on column holdfast.depth_samples.running is 'Jobs in state running.';
comment on column holdfast.depth_samples.oldest_ready is 'Since when the oldest ready job was ready; null without one.';

create table holdfast.left_worker_counts (
  hour      timestamptz not null,
  "group"   text not null,
  way       text not null,
  workers   bigint not null,
  processed bigint not null,
  failed    bigint not null,
  released  bigint not null,
  life_tens jsonb not null,
  constraint left_worker_counts_pkey primary key (hour, "group", way),
  constraint left_worker_way_known check (way in ('stopped', 'drained', 'done', 'time_box', 'lost'))
);
comment on table holdfast.left_worker_counts
  is 'Workers that left, by hour, group and how they left. forget_workers adds a worker when it deletes its row;'
    ' left_workers adds those that have left and still have one.';
comment on column holdfast.left_worker_counts.hour is 'The hour in which they left.';
comment on column holdfast.left_worker_counts."group" is 'Their group; empty means none.';
comment on column holdfast.left_worker_counts.way
  is 'How they left: stopped, drained by an operator, done (no work left), time_box (its time was over) or lost.';
comment on column holdfast.left_worker_counts.workers is 'How many.';
comment on column holdfast.left_worker_counts.processed is 'Attempts that ended in them.';
comment on column holdfast.left_worker_counts.failed is 'Attempts that failed in them.';
comment on column holdfast.left_worker_counts.released is 'Jobs they gave back unfinished.';
comment on column holdfast.left_worker_counts.life_tens
  is 'How long they lived: count by tenths of the decimal logarithm of milliseconds.';

create table holdfast.reported_metrics (
  name        text not null,
  labels      jsonb not null,
  place       smallint not null,
  value       double precision not null,
  reported_at timestamptz not null,
  constraint reported_metrics_pkey primary key (name, labels),
  constraint reported_metrics_place unique (name, place),
  -- At most 100 label sets per name, whoever inserts at the same time.
  constraint reported_metric_place_in_range check (place between 1 and 100),
  constraint reported_metric_name_is_valid check (name ~ '^[a-zA-Z_:][a-zA-Z0-9_:]*$' and length(name) <= 200)
) with (fillfactor = 70);
comment on table holdfast.reported_metrics
  is 'Figures from outside, such as the load of a model server: the latest value of each name and set of labels.';
comment on column holdfast.reported_metrics.name is 'Name of the metric.';
comment on column holdfast.reported_metrics.labels is 'Its labels, all of them strings.';
comment on column holdfast.reported_metrics.place is 'A number from 1 to 100 that no other label set of the name has.';
comment on column holdfast.reported_metrics.value is 'The value that was reported last.';
comment on column holdfast.reported_metrics.reported_at is 'When it was reported.';

insert into holdfast.locks (name) values ('sample_depths');
