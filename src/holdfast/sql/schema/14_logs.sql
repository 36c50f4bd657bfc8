-- What handlers wrote to their log, by attempt.

create table holdfast.attempt_logs (
  id       bigint generated always as identity primary key,
  job_id   uuid not null,
  attempt  integer not null,
  token    uuid not null,
  part     integer not null,
  saved_at timestamptz not null,
  size     integer not null,
  times    timestamptz[] not null,
  levels   text[] not null,
  loggers  text[] not null,
  messages text[] not null,
  constraint attempt_logs_part unique (job_id, attempt, token, part),
  constraint attempt_log_part_not_negative check (part >= 0),
  constraint attempt_log_lines_are_whole check (
    cardinality(times) = cardinality(levels)
    and cardinality(times) = cardinality(loggers)
    and cardinality(times) = cardinality(messages))
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000
);
comment on table holdfast.attempt_logs
  is 'Lines that handlers wrote to their log, redacted: one row for each part of an attempt''s log that was sent.';
comment on column holdfast.attempt_logs.id is 'Number of the row; the lowest was saved first.';
comment on column holdfast.attempt_logs.job_id is 'The job.';
comment on column holdfast.attempt_logs.attempt is 'Number of the attempt.';
comment on column holdfast.attempt_logs.token
  is 'Token of its claim. A crash of the server can undo a claim, so that a second one has the same number.';
comment on column holdfast.attempt_logs.part is 'Number of the part; a part that is sent twice is stored once.';
comment on column holdfast.attempt_logs.saved_at is 'When it was stored.';
comment on column holdfast.attempt_logs.size is 'Bytes of its lines.';
comment on column holdfast.attempt_logs.times is 'When each line was written, by the worker''s clock.';
comment on column holdfast.attempt_logs.levels is 'Level of each line.';
comment on column holdfast.attempt_logs.loggers is 'Logger of each line.';
comment on column holdfast.attempt_logs.messages is 'Text of each line, redacted, at most 8 KiB.';

create table holdfast.log_size_changes (
  id    bigint generated always as identity primary key,
  bytes bigint not null
);
comment on table holdfast.log_size_changes
  is 'Their sum is the size of all logs. One row per statement that stored or deleted some; prune_logs folds them.';
comment on column holdfast.log_size_changes.id is 'Number of the row.';
comment on column holdfast.log_size_changes.bytes is 'Bytes that were added; negative if they were deleted.';

create table holdfast.log_storage (
  only_row   boolean primary key default true,
  max_bytes  bigint not null default 1073741824,
  removed_at timestamptz,
  removed_to timestamptz,
  constraint log_storage_is_one_row check (only_row),
  constraint log_storage_max_bytes_not_negative check (max_bytes >= 0)
);
comment on table holdfast.log_storage is 'How much room the logs of all attempts have; one row.';
comment on column holdfast.log_storage.only_row is 'Always true: keeps the table to one row.';
comment on column holdfast.log_storage.max_bytes is 'Bytes of lines that are kept in all; beyond that the oldest go.';
comment on column holdfast.log_storage.removed_at is 'When logs were last removed for want of room; null: never.';
comment on column holdfast.log_storage.removed_to is 'Logs that were stored up to then were removed for want of room.';

insert into holdfast.log_storage default values;
insert into holdfast.locks (name) values ('prune_logs');
