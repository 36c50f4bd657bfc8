-- Whether a rule's condition holds. What is no boolean counts as not, and so does an error that silent does not cover,
-- such as a wrong template of datetime().
create or replace function holdfast.condition_holds(facts jsonb, path jsonpath, vars jsonb default '{}')
returns boolean
language plpgsql stable
set timezone = 'UTC'
as $$
begin
  return coalesce(jsonb_path_match_tz(facts, path, vars, silent => true), false);
exception
  when others then
    return false;
end
$$;
