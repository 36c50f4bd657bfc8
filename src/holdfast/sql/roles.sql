-- The five roles, where the current user may create them. Roles belong to the whole server, so a migration of
-- another database may create them at the same time: the roles are the same.
do $$
declare
  wanted text;
begin
  foreach wanted in array array[
    'holdfast_owner', 'holdfast_producer', 'holdfast_worker', 'holdfast_operator', 'holdfast_viewer'
  ]
  loop
    if to_regrole(wanted) is null then
      begin
        execute format('create role %I nologin', wanted);
      exception
        when duplicate_object or unique_violation then
          null;
      end;
    end if;
  end loop;
exception
  when insufficient_privilege then
    null;  -- the report of the migration says that there are no roles
end
$$;

-- An operator sees what a viewer sees.
do $$
begin
  if not pg_has_role('holdfast_operator', 'holdfast_viewer', 'member') then
    grant holdfast_viewer to holdfast_operator;
  end if;
exception
  when undefined_object or insufficient_privilege or unique_violation then
    null;
end
$$;

-- Everything is created as the owner; a user who is not a superuser must be a member for that.
do $$
begin
  if not (select rolsuper from pg_roles where rolname = current_user)
    and not exists (
      select from pg_auth_members
      where roleid = to_regrole('holdfast_owner')
        and member = current_user::regrole
        and not admin_option
    )
  then
    execute format('grant holdfast_owner to %I', current_user);
  end if;
exception
  when undefined_object or insufficient_privilege or unique_violation then
    null;
end
$$;
