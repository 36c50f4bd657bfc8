-- declared -> declared: sets the given keys of a task's defaults, as an operator; makes the task if there is none.
-- policy: as in declare_task, but a key that is not given keeps its value. An app that declares the task sets all of
-- them again. Returns the settings that changed, with their values before and after (durations in seconds). The audit
-- trail gets one event with these, the reason, the actor and the login.
create or replace function holdfast.set_task(
  name text, policy jsonb, reason text default null, actor text default null
)
returns table (setting text, before jsonb, after jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  return query select * from holdfast.configure_task('set_task', name, coalesce(policy, '{}'), reason, actor);
end
$$;
