-- Raises an error if one of the runs was not started in an access key's scope: to its caller there is no such run.
create or replace function holdfast.check_run_access(key holdfast.access_keys, runs uuid[])
returns void
language plpgsql stable
as $$
declare
  outside uuid;
begin
  select u.id into outside
  from unnest(runs) as u (id)
  where not exists (select from holdfast.runs as r where r.id = u.id and r.scope = key.scope)
  limit 1;
  if found then
    perform holdfast.refuse('HF004', format('There is no run %s.', outside), 'Check the id.');
  end if;
end
$$;
