-- Records that a maintenance task has succeeded, and what it remembers. Skipped while the row is locked: the next call
-- records it.
create or replace function holdfast.record_maintenance_task(task text, what jsonb default null)
returns void
language plpgsql volatile
as $$
begin
  perform from holdfast.chores as c where c.name = task for update skip locked;
  if found then
    update holdfast.chores as c
    set succeeded_at = holdfast.now(), counts = coalesce(what, c.counts)
    where c.name = task;
  else
    insert into holdfast.chores (name, succeeded_at, counts)
    select task, holdfast.now(), coalesce(what, '{}')
    where not exists (select from holdfast.chores as c where c.name = task)
    on conflict do nothing;
  end if;
end
$$;
