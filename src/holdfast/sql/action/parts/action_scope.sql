-- The queues and tasks that a bulk action names, for the check of its access key; null where it names none.
create or replace function holdfast.action_scope(settings jsonb, out queues text[], out tasks text[])
language sql immutable
as $$
  select
    case when settings #>> '{filter,queue}' is not null
      then array_remove(array[settings #>> '{filter,queue}', settings ->> 'to'], null) end,
    case when settings #>> '{filter,task}' is not null then array[settings #>> '{filter,task}'] end
$$;
