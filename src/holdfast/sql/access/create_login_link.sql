-- valid -> valid: stores a log-in link of an access key, and returns until when open_session accepts it, once.
-- hash is the SHA-256 of the link's secret: 32 random bytes or more. lifetime is at most 1 hour. The link gives the
-- rights of the key, and nothing else accepts it. The audit trail gets one event.
create or replace function holdfast.create_login_link(
  name text, hash bytea, lifetime interval default '10 minutes', reason text default null, actor text default null
)
returns timestamptz
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  linked uuid;
  moment timestamptz;
  until  timestamptz;
begin
  perform holdfast.check_lifetime(lifetime, interval '1 hour');
  perform holdfast.check_access_hash(hash);
  linked := holdfast.find_access_key(name);
  moment := holdfast.now();
  select least(moment + lifetime, k.expires_at) into until from holdfast.access_keys as k where k.id = linked;
  if until <= moment then
    perform holdfast.refuse('HF005', format('The access key %s has expired.', name), 'Create another key.');
  end if;
  insert into holdfast.access_secrets (hash, key_id, kind, created_at, expires_at)
  values (hash, linked, 'link', moment, until);
  perform holdfast.record_event('create_login_link', actor => actor, reason => reason,
    detail => jsonb_build_object('access_key', name, 'until', until));
  return until;
end
$$;
