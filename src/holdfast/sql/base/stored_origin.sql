-- The origin to store for a job or run: the given one, else trigger within a trigger; null stands for automatic.
create or replace function holdfast.stored_origin(given text)
returns text
language sql stable
as $$
  select nullif(coalesce(given, case when pg_trigger_depth() > 0 then 'trigger' end), 'automatic')
$$;
