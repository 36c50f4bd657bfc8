-- Figures beside those of ends: the depth of queues, workers that left, and what was reported from outside.

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
  -- At most 100 label sets per name, also if two calls insert at once.
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

create table holdfast.reported_values (
  name   text not null,
  labels jsonb not null,
  minute timestamptz not null,
  value  double precision not null,
  constraint reported_values_pkey primary key (name, minute, labels)
);
create index reported_values_minute on holdfast.reported_values (minute);
comment on table holdfast.reported_values
  is 'Figures from outside over time: the last value of each minute, kept as long as other figures of a minute.';
comment on column holdfast.reported_values.name is 'Name of the metric.';
comment on column holdfast.reported_values.labels is 'Its labels.';
comment on column holdfast.reported_values.minute is 'The minute.';
comment on column holdfast.reported_values.value is 'The last value that was reported in it.';

insert into holdfast.locks (name) values ('sample_depths');
