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
comment on table holdfast.unique_keys
  is 'Which job a unique key stands for. A table of its own, since no index spans live and ended jobs.';
comment on column holdfast.unique_keys.scope is 'Within which the key is unique; the task by default.';
comment on column holdfast.unique_keys.key is 'The key.';
comment on column holdfast.unique_keys.job_id is 'The one job.';
comment on column holdfast.unique_keys.payload_hash
  is 'Hash of its task and payload, and of its other options if asked for: the same key with others is a conflict.';
comment on column holdfast.unique_keys.until_end is 'The key goes when the job ends.';
comment on column holdfast.unique_keys.expires_at is 'The key goes at this time; null and not until_end means never.';

create table holdfast.order_keys (
  key      text primary key,
  head     uuid not null,
  last_seq bigint not null
) with (fillfactor = 50);
comment on table holdfast.order_keys
  is 'The line of each order key. Enqueue and end both lock its row, so the order is commit order.';
comment on column holdfast.order_keys.key is 'The key.';
comment on column holdfast.order_keys.head is 'The one job of the key that may run.';
comment on column holdfast.order_keys.last_seq
  is 'Place of the last job in the line. A new line begins at the microsecond: places rise from line to line.';

create table holdfast.order_releases (
  id  bigint generated always as identity primary key,
  key text not null
);
comment on table holdfast.order_releases
  is 'Order keys whose head ended while a producer held the key: their lines are moved up later.';
comment on column holdfast.order_releases.id is 'Number of the row.';
comment on column holdfast.order_releases.key is 'The key.';
