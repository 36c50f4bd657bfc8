-- The lane of a job in place of the given one: limited tasks and runs with a budget have lanes of their own.
create or replace function holdfast.own_lane(of_lane integer, of_task text, run uuid)
returns integer
language plpgsql volatile
as $$
declare
  own    constant text := case
    when exists (select from holdfast.tasks as t where t.name = of_task and t.has_lanes) then of_task
    else ''
  end;
  capped constant boolean := run is not null and holdfast.is_capped(run);
  l      holdfast.lanes;
begin
  select t.* into l from holdfast.lanes as t where t.lane = of_lane;
  if not found then
    -- It was removed since; the lane with the same names replaces it.
    select p.queue, p.endpoint, p."group"
    into l.queue, l.endpoint, l."group"
    from holdfast.past_lanes as p
    where p.lane = of_lane;
  elsif (l.task, l.is_capped, l.is_suspect) = (own, capped, false) then
    return of_lane;
  end if;
  return holdfast.find_lane(l.queue, l.endpoint, l."group", own, capped);
end
$$;
