-- valid -> revoked: refuses all secrets and sessions of an access key from now on. The audit trail gets one event.
create or replace function holdfast.revoke_access_key(name text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  revoked_id constant uuid := holdfast.find_access_key(name);
begin
  update holdfast.access_keys as k set revoked_at = holdfast.now() where k.id = revoked_id;
  delete from holdfast.access_secrets as s where s.key_id = revoked_id;
  perform holdfast.record_event('revoke_access_key', actor => actor, reason => reason,
    detail => jsonb_build_object('access_key', name));
end
$$;
