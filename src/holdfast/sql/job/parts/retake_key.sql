-- Takes the unique key of an ended job again; false if another job has it.
create or replace function holdfast.retake_key(past holdfast.history)
returns boolean
language plpgsql volatile
as $$
declare
  input json := coalesce(past.payload, (select p.payload from holdfast.payloads as p where p.job_id = past.id));
  holder uuid;
begin
  if exists (
    select from holdfast.unique_keys as k
    where k.scope = past.unique_scope and k.key = past.unique_key and k.job_id = past.id
  ) then
    return true;
  end if;
  holder := holdfast.reserve_key(
    past.unique_scope, past.unique_key, past.id,
    sha256(convert_to(past.task || ':' || input::jsonb::text, 'utf8')), 'live'
  );
  return holder = past.id;
exception
  when sqlstate 'HF003' then
    return false;
end
$$;
