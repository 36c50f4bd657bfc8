-- The detail of queues that set none. Locks the flag, so that a queue which is created or changed meanwhile follows it.
-- Queues lock it together: only set_flag waits for them, and they for set_flag.
create or replace function holdfast.default_detail()
returns text
language plpgsql volatile
as $$
declare
  found_value text;
begin
  select f.value into found_value from holdfast.flags as f where f.name = 'detail' and f.scope = '' for share;
  return coalesce(found_value, 'basic');
end
$$;
