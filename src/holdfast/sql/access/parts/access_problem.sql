-- What an access key lacks for an action on these queues and tasks; null if nothing.
create or replace function holdfast.access_problem(key holdfast.access_keys, action text, queues text[], tasks text[])
returns text
language plpgsql stable
as $$
declare
  rights record;
  other  text;
begin
  select r.* into rights from holdfast.access_rights() as r where r.action = access_problem.action;
  if not found then
    perform holdfast.refuse('HF002', format('There is no action %s.', left(action, 200)),
      'The function holdfast.access_rights lists all actions.');
  end if;
  if key.role <> 'admin' and key.role <> all (rights.roles) then
    return format('The access key %s has the role %s, which does not allow the action %s.', key.name, key.role,
      action);
  end if;
  if rights.needs_all and (key.queues is not null or key.tasks is not null) then
    return format('The access key %s is limited to some queues or tasks, but the action %s needs a key for all queues'
      ' and tasks.', key.name, action);
  end if;
  other := case
    when not rights.needs_names then null
    when key.queues is not null and queues is null then 'queue'
    when key.tasks is not null and tasks is null then 'task'
  end;
  if other is not null then
    return format('The access key %1$s is limited to some %2$ss, so the request must name the %2$s.', key.name, other);
  end if;
  select u into other from unnest(queues) as u where coalesce(u <> all (key.queues), false) limit 1;
  if other is not null then
    return format('The access key %s does not allow the queue %s.', key.name, other);
  end if;
  select u into other from unnest(tasks) as u where coalesce(u <> all (key.tasks), false) limit 1;
  if other is not null then
    return format('The access key %s does not allow the task %s.', key.name, other);
  end if;
  return null;
end
$$;
