-- Locks and returns a schedule; raises an error if there is none.
create or replace function holdfast.lock_schedule(schedule text)
returns holdfast.schedules
language plpgsql volatile
as $$
declare
  found_one holdfast.schedules;
begin
  select s.* into found_one from holdfast.schedules as s where s.name = schedule for update;
  if not found then
    perform holdfast.refuse('HF004', format('There is no schedule %s.', schedule),
      'The view holdfast.schedule_view lists all schedules.');
  end if;
  return found_one;
end
$$;
