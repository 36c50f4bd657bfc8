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
comment on table holdfast.end_counts
  is 'Jobs that ended, by minute, queue, task and end; written by summarise_ends, kept for a week.';
comment on column holdfast.end_counts.minute is 'The minute of the end.';
comment on column holdfast.end_counts.queue is 'The queue.';
comment on column holdfast.end_counts.task is 'The task.';
comment on column holdfast.end_counts.state is 'How they ended.';
comment on column holdfast.end_counts.jobs is 'How many.';
comment on column holdfast.end_counts.retried is 'How many of them were tried again after a failure or a loss.';
comment on column holdfast.end_counts.wait_tens
  is 'How long they waited: count by tenths of the decimal logarithm of milliseconds.';
comment on column holdfast.end_counts.run_tens
  is 'How long their last attempt ran: count by tenths of the decimal logarithm of milliseconds.';

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
