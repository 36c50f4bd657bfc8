-- declared -> declared: sets the given keys of a queue's policy, as an operator; makes the queue if there is none.
-- policy: as in declare_queue. Returns the settings that changed, with their values before and after (durations in
-- seconds). The audit trail gets one event with these, the reason, the actor and the login.
create or replace function holdfast.set_queue(
  name text, policy jsonb, reason text default null, actor text default null
)
returns table (setting text, before jsonb, after jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  return query select * from holdfast.configure_queue('set_queue', name, coalesce(policy, '{}'), reason, actor);
end
$$;
