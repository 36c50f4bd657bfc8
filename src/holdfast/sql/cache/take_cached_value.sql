-- running -> running: reads a cached value, or gives the caller the right to compute it.
-- result is found (value holds it), compute (compute it, then call save_cached_value with this writer, or
-- free_cached_value), or wait (another attempt computes it: ask again soon). An attempt has a key until it stores a
-- value or frees the key, until the attempt ends or is lost, and at most until the caller's wait is over.
-- Raises HF006 if the token is outdated.
-- plan: no seqscan
create or replace function holdfast.take_cached_value(
  job uuid, token uuid, scope text, key text, wait interval,
  out result text, out value json, out writer uuid
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  at   constant timestamptz := holdfast.now();
  ours constant uuid := gen_random_uuid();
  kept holdfast.cached_values;
begin
  perform holdfast.check_cached_key(take_cached_value.scope, take_cached_value.key);
  perform holdfast.check_attempt(take_cached_value.job, take_cached_value.token);
  select c.* into kept
  from holdfast.cached_values as c
  where c.scope = take_cached_value.scope and c.key = take_cached_value.key;
  if kept.value is not null and kept.expires_at > at then
    result := 'found';
    value := kept.value;
    return;
  end if;
  result := 'wait';
  if kept.writer is not null
    and kept.began_at > at - take_cached_value.wait
    and exists (select from holdfast.jobs as j where j.id = kept.job_id and j.token = kept.token)
  then
    return;
  end if;
  -- Of several callers that find the same row or none, the first replaces its writer; the others find it replaced.
  insert into holdfast.cached_values as c (scope, key, expires_at, writer, job_id, token, began_at)
  values (
    take_cached_value.scope, take_cached_value.key, at + greatest(take_cached_value.wait, interval '1 day'), ours,
    take_cached_value.job, take_cached_value.token, at)
  on conflict on constraint cached_values_pkey do update
    set value = null, expires_at = excluded.expires_at, writer = ours, job_id = excluded.job_id,
      token = excluded.token, began_at = at
    where kept.key is not null
      and c.writer is not distinct from kept.writer
      and c.expires_at = kept.expires_at;
  if found then
    result := 'compute';
    writer := ours;
  end if;
end
$$;
