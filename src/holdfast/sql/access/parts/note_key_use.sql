-- Notes that access keys were used, as check_access does: to the hour, and never waiting.
create or replace function holdfast.note_key_use(hashes bytea[], moment timestamptz)
returns void
language sql volatile
as $$
  update holdfast.access_keys as k
  set last_used_at = moment
  where k.id in (
    select l.id
    from holdfast.access_keys as l
    where l.id in (select s.key_id from holdfast.access_secrets as s where s.hash = any (hashes))
      and l.revoked_at is null
      and coalesce(l.last_used_at < moment - interval '1 hour', true)
    for update skip locked)
$$;
