-- Takes a unique key for a job, or returns the job that has it. Waits until a concurrent taker commits or rolls back.
create or replace function holdfast.reserve_key(scope text, key text, job uuid, hash bytea, lives text)
returns uuid
language plpgsql volatile
as $$
#variable_conflict use_variable
declare
  holder holdfast.unique_keys;
  expiry constant timestamptz := case
    when lives not in ('live', 'forever') then holdfast.now() + holdfast.read_interval(to_jsonb(lives))
  end;
begin
  loop
    insert into holdfast.unique_keys (scope, key, job_id, payload_hash, until_end, expires_at)
    values (scope, key, job, hash, lives = 'live', expiry)
    on conflict do nothing;
    if found then
      return job;
    end if;
    select * into holder from holdfast.unique_keys as k where k.scope = reserve_key.scope and k.key = reserve_key.key;
    -- Its job ended between the two statements, so the key is free again.
    continue when not found;
    if holder.expires_at <= holdfast.now() then
      delete from holdfast.unique_keys as k
      where k.scope = reserve_key.scope and k.key = reserve_key.key and k.job_id = holder.job_id;
      continue;
    end if;
    if not holdfast.is_same_work(holder.payload_hash, hash) then
      perform holdfast.refuse_key(key, holder.job_id);
    end if;
    return holder.job_id;
  end loop;
end
$$;
