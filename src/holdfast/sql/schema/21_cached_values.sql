-- Values that handlers share: one computes, the others read.

create table holdfast.cached_values (
  scope      text not null,
  key        text not null,
  value      json,
  expires_at timestamptz not null,
  writer     uuid,
  job_id     uuid,
  token      uuid,
  began_at   timestamptz,
  constraint cached_values_pkey primary key (scope, key),
  constraint cached_value_is_there_or_computed check (
    (value is null) = (writer is not null)
    and (writer is null) = (job_id is null)
    and (writer is null) = (token is null)
    and (writer is null) = (began_at is null))
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index cached_values_expiry on holdfast.cached_values (expires_at);
comment on table holdfast.cached_values is 'Values of ctx.cached: each is there, or an attempt computes it.';
comment on column holdfast.cached_values.scope is 'Within which the key is shared; the task by default.';
comment on column holdfast.cached_values.key is 'The key.';
comment on column holdfast.cached_values.value is 'The value; null while it is computed.';
comment on column holdfast.cached_values.expires_at
  is 'Nobody reads the value from then on, and the row is removed. While it is computed: when the row is removed.';
comment on column holdfast.cached_values.writer
  is 'Who may store the value. Each computation has its own, so one that was replaced cannot store.';
comment on column holdfast.cached_values.job_id is 'The job that computes it.';
comment on column holdfast.cached_values.token
  is 'Token of the attempt that computes it; the key is free once it is outdated.';
comment on column holdfast.cached_values.began_at is 'When the computation began.';
