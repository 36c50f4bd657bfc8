-- key | link -> session: opens a session of an access key, and returns whose it is and until when it lasts.
-- hash is the SHA-256 of a secret of the key, or of a log-in link, which this uses up. session is that of the new
-- session's secret: 32 random bytes or more. It has the rights of the key for lifetime, at most 30 days, and ends with
-- the key and with the secret that opened it. A key has at most 1,000 sessions: beyond, its oldest one is closed.
-- Raises HF007 for a secret that is not valid; a session opens no other.
create or replace function holdfast.open_session(
  hash bytea, session bytea, lifetime interval default '12 hours',
  out name text, out role text, out expires_at timestamptz, out lasts interval
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  most   constant integer := 1000;
  opener holdfast.access_secrets;
  caller holdfast.access_keys;
  moment timestamptz;
begin
  perform holdfast.check_lifetime(lifetime, interval '30 days');
  perform holdfast.check_access_hash(session);
  -- The lock makes a rotation or revocation of the key, and another use of the same link, come before or after.
  select k.* into caller
  from holdfast.access_keys as k
  where k.id = (select s.key_id from holdfast.access_secrets as s where s.hash = open_session.hash)
  for update;
  moment := holdfast.now();
  select s.* into opener
  from holdfast.access_secrets as s
  where s.hash = open_session.hash
    and s.kind <> 'session'
    and coalesce(s.expires_at > moment, true);
  if opener.hash is null or caller.revoked_at is not null or caller.expires_at <= moment then
    perform holdfast.refuse('HF007',
      'The access key or log-in link is unknown, expired or revoked, or the link was used before.',
      'Use a valid key or a new link; ''holdfast keys create'' makes a key.');
  end if;
  expires_at := least(moment + lifetime, caller.expires_at, case when opener.kind = 'key' then opener.expires_at end);
  delete from holdfast.access_secrets as s where s.hash = opener.hash and s.kind = 'link';
  delete from holdfast.access_secrets as s
  where s.hash in (
    select o.hash
    from holdfast.access_secrets as o
    where o.key_id = caller.id and o.kind = 'session'
    order by o.created_at desc, o.hash
    offset most - 1);
  insert into holdfast.access_secrets (hash, key_id, kind, created_at, expires_at)
  values (session, caller.id, 'session', moment, open_session.expires_at);
  name := caller.name;
  role := caller.role;
  lasts := expires_at - moment;
end
$$;
