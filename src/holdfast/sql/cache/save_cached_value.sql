-- running -> running: stores the value that its writer has computed; it lasts so long from now on.
-- value has at most 64 KiB. Returns false, and stores nothing, if the writer no longer has the key: another attempt
-- computes the value, or has stored it. Raises HF006 if the token is outdated.
-- plan: no seqscan
create or replace function holdfast.save_cached_value(
  job uuid, token uuid, scope text, key text, writer uuid, value json, lasts interval
)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  document constant text := coalesce(save_cached_value.value::text, 'null');
begin
  if octet_length(document) > 65536 then
    perform holdfast.refuse('HF001',
      format('The cached value %s must have at most 65536 bytes (got %s).', save_cached_value.key,
        octet_length(document)),
      'Store the data elsewhere and cache a reference to it.', '$');
  end if;
  if save_cached_value.lasts is null or save_cached_value.lasts not between '0' and interval '1000 years' then
    perform holdfast.refuse('HF002', 'lasts must be an interval from 0 to 1000 years.',
      'Say how long the value may be used: interval ''1 hour''.');
  end if;
  perform holdfast.check_attempt(save_cached_value.job, save_cached_value.token);
  update holdfast.cached_values as c
  set value = document::json, expires_at = holdfast.now() + save_cached_value.lasts, writer = null, job_id = null,
    token = null, began_at = null
  where c.scope = save_cached_value.scope
    and c.key = save_cached_value.key
    and c.writer = save_cached_value.writer;
  return found;
end
$$;
