-- Access keys: who may call the HTTP API, as what, and for which queues and tasks.

create table holdfast.access_keys (
  id           uuid primary key,
  name         text not null,
  role         text not null,
  queues       text[],
  tasks        text[],
  scope        text,
  created_at   timestamptz not null,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  constraint access_key_name_is_short check (length(name) between 1 and 200),
  constraint access_key_role_known check (role in ('viewer', 'producer', 'worker', 'operator', 'admin')),
  constraint access_key_queues_not_empty check (cardinality(queues) between 1 and 100),
  constraint access_key_tasks_not_empty check (cardinality(tasks) between 1 and 100),
  constraint access_key_scope_if_limited check ((scope is null) = (queues is null and tasks is null))
);
create unique index access_keys_name on holdfast.access_keys (name) where revoked_at is null;
comment on table holdfast.access_keys is 'An access key of the HTTP API. Its secrets are only known by their hashes.';
comment on column holdfast.access_keys.id is 'Stays the same when the secret is rotated.';
comment on column holdfast.access_keys.name is 'What people call it; free again after it was revoked.';
comment on column holdfast.access_keys.role is 'What it may do: viewer, producer, worker, operator or admin.';
comment on column holdfast.access_keys.queues is 'Queues that it is for; null means all.';
comment on column holdfast.access_keys.tasks is 'Tasks that it is for; null means all.';
comment on column holdfast.access_keys.scope
  is 'Stands for its queues and tasks: keys with the same ones share it; null means all.';
comment on column holdfast.access_keys.created_at is 'When it was created.';
comment on column holdfast.access_keys.expires_at is 'From when it is refused; null means never.';
comment on column holdfast.access_keys.revoked_at is 'When it was revoked; null while it is valid.';
comment on column holdfast.access_keys.last_used_at is 'When it was last used, to the hour.';

create table holdfast.access_secrets (
  hash       bytea primary key,
  key_id     uuid not null,
  kind       text not null default 'key',
  created_at timestamptz not null,
  expires_at timestamptz,
  constraint access_secret_is_sha256 check (octet_length(hash) = 32),
  constraint access_secret_kind_known check (kind in ('key', 'session', 'link')),
  constraint access_secret_expires_unless_key check (kind = 'key' or expires_at is not null)
);
create index access_secrets_key on holdfast.access_secrets (key_id);
create index access_secrets_expiry on holdfast.access_secrets (expires_at) where expires_at is not null;
comment on table holdfast.access_secrets
  is 'The secrets of access keys: one each, earlier ones while they overlap, and those of sessions and log-in links.';
comment on column holdfast.access_secrets.hash is 'SHA-256 of the secret, which the database never sees.';
comment on column holdfast.access_secrets.key_id is 'The access key.';
comment on column holdfast.access_secrets.kind
  is 'What it is for: key for any call, session for a browser, link to open one session.';
comment on column holdfast.access_secrets.created_at is 'When it was added.';
comment on column holdfast.access_secrets.expires_at
  is 'From when it is refused: another replaced it, or the session or link is over.';
