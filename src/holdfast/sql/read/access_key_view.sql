-- Every access key of the HTTP API; never its secrets. State is valid, expired or revoked.
-- secrets is how many of its own are accepted now, without those of sessions and log-in links.
create or replace view holdfast.access_key_view as
select
  k.id, k.name, k.role, k.queues, k.tasks,
  case
    when k.revoked_at is not null then 'revoked'
    when k.expires_at <= holdfast.now() then 'expired'
    else 'valid'
  end as state,
  k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
  (select count(*) from holdfast.access_secrets as s
    where s.key_id = k.id and s.kind = 'key' and coalesce(s.expires_at > holdfast.now(), true))::integer as secrets
from holdfast.access_keys as k;
