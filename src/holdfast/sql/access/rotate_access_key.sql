-- valid -> valid: gives an access key a new secret, and returns until when its earlier ones are accepted too.
-- hash is the SHA-256 of the new secret. overlap is how long both work, 0 to 30 days. Sessions end by then too, and
-- log-in links at once. The audit trail gets one event.
create or replace function holdfast.rotate_access_key(
  name text, hash bytea, overlap interval default '1 hour', reason text default null, actor text default null
)
returns timestamptz
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  rotated uuid;
  moment  timestamptz;
begin
  if overlap is null or overlap not between interval '0' and interval '30 days' then
    perform holdfast.refuse('HF002',
      format('overlap must be between 0 and 30 days (got %s).', coalesce(overlap::text, 'null')),
      'Pass for example ''1 hour''. Until the overlap ends, the old secret is accepted too.');
  end if;
  perform holdfast.check_access_hash(hash);
  rotated := holdfast.find_access_key(name);
  moment := holdfast.now();
  -- A link would open a session that outlives the overlap.
  delete from holdfast.access_secrets as s where s.key_id = rotated and (s.expires_at <= moment or s.kind = 'link');
  update holdfast.access_secrets as s set expires_at = moment + overlap
  where s.key_id = rotated and coalesce(s.expires_at > moment + overlap, true);
  insert into holdfast.access_secrets (hash, key_id, created_at) values (hash, rotated, moment);
  perform holdfast.record_event('rotate_access_key', actor => actor, reason => reason,
    detail => jsonb_build_object('access_key', name, 'overlap', extract(epoch from overlap)));
  return moment + overlap;
end
$$;
