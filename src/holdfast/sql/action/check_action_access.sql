-- Checks that a call of the HTTP API may read or cancel a bulk action, and returns whose access key it carries.
-- hash is the SHA-256 of the secret; action is one of check_access. A key for some queues or tasks may do it with the
-- actions that it asked for itself. Raises HF004 for what is not such an action, as for one that does not exist.
create or replace function holdfast.check_action_access(
  hash bytea, job uuid, action text, out key uuid, out name text
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  caller   record;
  asked_by uuid;
begin
  select c.* into caller from holdfast.check_access(hash, action) as c;
  select (v.payload ->> 'key')::uuid into asked_by from holdfast.get_job(job) as v where v.queue = 'holdfast';
  if not found or asked_by <> caller.key and not (caller.key_queues, caller.key_tasks) is null then
    perform holdfast.refuse('HF004', format('There is no action %s.', job),
      'Check the id; ended actions are deleted after 30 days.');
  end if;
  key := caller.key;
  name := caller.name;
end
$$;
