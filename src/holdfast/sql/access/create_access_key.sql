-- (nothing) -> valid: stores an access key of the HTTP API, and returns its id.
-- hash is the SHA-256 of the secret: 32 random bytes or more that the caller made, keeps, and never sends here.
-- role: viewer, producer, worker, operator or admin. queues and tasks: what it is for; null means all. The audit trail
-- gets one event.
create or replace function holdfast.create_access_key(
  name text, role text, hash bytea, queues text[] default null, tasks text[] default null,
  expires_in interval default null, reason text default null, actor text default null
)
returns uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  moment constant timestamptz := holdfast.now();
  new_id constant uuid := holdfast.new_id(moment);
begin
  perform holdfast.check_access_key(name, role, hash, queues, tasks, expires_in);
  insert into holdfast.access_keys as k (id, name, role, queues, tasks, scope, created_at, expires_at)
  values (new_id, name, role, queues, tasks, holdfast.access_scope(queues, tasks), moment, moment + expires_in)
  on conflict (name) where revoked_at is null do nothing;
  if not found then
    perform holdfast.refuse('HF005', format('There is an access key %s already.', name),
      'Choose another name. To give the existing key a new secret, rotate the key; to end it, revoke it.');
  end if;
  insert into holdfast.access_secrets (hash, key_id, created_at) values (hash, new_id, moment);
  perform holdfast.record_change('create_access_key', 'access_key', name, '{}', jsonb_strip_nulls(jsonb_build_object(
    'role', role, 'queues', queues, 'tasks', tasks, 'expires_at', moment + expires_in)), reason, actor);
  return new_id;
end
$$;
