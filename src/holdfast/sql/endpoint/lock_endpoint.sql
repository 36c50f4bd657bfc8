-- Waits for an endpoint and locks its row. Who waits for a row pins its page, which is not cleaned meanwhile: so only one does, and the others queue outside.
create or replace function holdfast.lock_endpoint(endpoint text)
returns holdfast.endpoints
language plpgsql volatile
as $$
declare
  e holdfast.endpoints;
begin
  -- Whoever has the row never comes to the second lock, so nobody waits there for one who waits for him.
  select t.* into e from holdfast.endpoints as t where t.name = endpoint for update skip locked;
  if not found then
    -- A row that never changes: nothing on its page is to be cleaned.
    perform from holdfast.locks as k where k.name = 'endpoint ' || endpoint for update;
    select t.* into e from holdfast.endpoints as t where t.name = endpoint for update;
  end if;
  return e;
end
$$;
comment on function holdfast.lock_endpoint(text) is 'Waits for an endpoint, locks its row and returns it; null if there is none.';
