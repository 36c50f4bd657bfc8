-- Takes a unique key for a job, or tells which job has it. Waits for a concurrent taker to commit or roll back.
create or replace function holdfast.reserve_key(scope text, key text, job uuid, hash bytea, lives text)
returns uuid
language plpgsql volatile
as $$
#variable_conflict use_variable
declare
  holder holdfast.unique_keys;
  expiry timestamptz := case when lives not in ('live', 'forever') then holdfast.now() + holdfast.read_interval(to_jsonb(lives)) end;
begin
  loop
    insert into holdfast.unique_keys (scope, key, job_id, payload_hash, until_end, expires_at)
    values (scope, key, job, hash, lives = 'live', expiry)
    on conflict do nothing;
    if found then
      return job;
    end if;
    select * into holder from holdfast.unique_keys as k where k.scope = reserve_key.scope and k.key = reserve_key.key;
    -- Gone meanwhile: its job ended between our two statements, so the key is free again.
    continue when not found;
    if holder.expires_at <= holdfast.now() then
      delete from holdfast.unique_keys as k
      where k.scope = reserve_key.scope and k.key = reserve_key.key and k.job_id = holder.job_id;
      continue;
    end if;
    if holder.payload_hash <> hash then
      perform holdfast.refuse('HF003',
        format('The unique key %s stands for job %s, which has another payload.', key, holder.job_id),
        'Use another key for other work, or enqueue the same payload to get the same job.');
    end if;
    return holder.job_id;
  end loop;
end
$$;
comment on function holdfast.reserve_key(text, text, uuid, bytea, text) is 'Takes a unique key for a job, or returns the job that has it; another payload is a conflict.';
