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
