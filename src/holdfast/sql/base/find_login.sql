-- Returns the number of the session's login, with the role that it has set; records the login on first use.
create or replace function holdfast.find_login()
returns integer
language plpgsql volatile
as $$
declare
  found_login integer;
begin
  -- Both are the session's own, also within functions that run with their owner's rights.
  select l.id into found_login
  from holdfast.logins as l
  where l.login = session_user::text and l.role = current_setting('role');
  if not found then
    insert into holdfast.logins (login, role) values (session_user, current_setting('role'))
    returning id into found_login;
  end if;
  return found_login;
end
$$;
