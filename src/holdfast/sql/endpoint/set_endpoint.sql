-- declared -> declared: sets the given keys of an endpoint's settings, as an operator; makes one if there is none.
-- settings: as in declare_endpoint. Returns the settings that changed, with their values before and after. The audit
-- trail gets one event with these, the reason, the actor and the login.
create or replace function holdfast.set_endpoint(
  name text, settings jsonb, reason text default null, actor text default null
)
returns table (setting text, before jsonb, after jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  return query select * from holdfast.change_endpoint('set_endpoint', name, settings, reason, actor);
end
$$;
