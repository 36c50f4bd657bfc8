-- Locks the valid access key of that name and returns its id; raises an error if there is none.
create or replace function holdfast.find_access_key(name text)
returns uuid
language plpgsql volatile
as $$
declare
  found_id uuid;
begin
  select k.id into found_id
  from holdfast.access_keys as k
  where k.name = find_access_key.name and k.revoked_at is null
  for update;
  if not found then
    perform holdfast.refuse('HF004', format('There is no access key %s.', name),
      'The view holdfast.access_key_view lists all access keys.');
  end if;
  return found_id;
end
$$;
