-- Where the jobs of a call stand: an element per combination of task, queue, endpoint, group and budget that they name,
-- as find_place returns it. places: the number of each job's element; null: all share the first. Creates new lanes, but
-- none as long as rules have to judge any of the jobs: ruled_by is null if there are none, and if is_judged is true.
create or replace function holdfast.find_places(
  made boolean[], tasks text[], o record, own record, is_judged boolean,
  out places integer[], out lanes integer[], out queues text[], out priorities integer[], out timeouts interval[],
  out ageing double precision[], out payload_limits integer[], out is_full boolean, out woken text[],
  out ruled_by text[], out rule_owners text[]
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  capped constant uuid[] := case when o.run is not null or own.run is not null then array(
    select b.run_id from holdfast.run_budgets as b where b.run_id = any (coalesce(own.run, array[o.run]))
  ) end;
  asked  record;
  place  record;
begin
  if cardinality(tasks) = 1
    and (own.queue, own.default_queue, own.endpoint, own."group") is null
    and (own.run is null or capped = '{}') then
    select
      null::integer[] as places, tasks, array[coalesce(o.queue, o.default_queue)] as queues,
      array[o.endpoint] as endpoints, array[o."group"] as groups,
      array[coalesce(o.run = any (capped), false)] as are_capped
    into asked;
  else
    select a.* into asked from holdfast.number_places(made, tasks, o, own, capped) as a;
  end if;
  places := asked.places;
  for place in
    select
      u.number, u.name, u."group", u.is_capped, p.*,
      not is_judged and bool_or(p.ruled_by is not null) over () as comes_again
    from rows from (
      unnest(asked.tasks), unnest(asked.queues), unnest(asked.endpoints), unnest(asked.groups), unnest(asked.are_capped)
    ) with ordinality as u (name, named_queue, named_endpoint, "group", is_capped, number)
    cross join lateral holdfast.find_place(name, named_queue, named_endpoint, "group", is_capped) as p
    -- New lanes are created in one order, all of a call together, so that two enqueues cannot deadlock.
    order by p.queue, p.endpoint, "group", p.task, is_capped
  loop
    if place.comes_again then
      ruled_by[place.number] := place.ruled_by;
      rule_owners[place.number] := case place.ruled_by when 'task' then place.name else place.queue end;
    -- check_job refuses the jobs of a queue with a longer name.
    elsif place.lane is null and length(place.queue) <= 200 then
      place.lane := holdfast.find_lane(place.queue, place.endpoint, place."group", place.task, place.is_capped);
      -- The queue may be new, and follow the flag detail: record_enqueued looks again.
      place.is_full := true;
    end if;
    lanes[place.number] := place.lane;
    queues[place.number] := place.queue;
    priorities[place.number] := place.priority;
    timeouts[place.number] := place.timeout;
    ageing[place.number] := place.ageing;
    payload_limits[place.number] := place.payload_limit;
    is_full := coalesce(is_full, false) or place.is_full;
    if place.wakes then
      woken := woken || place.queue;
    end if;
  end loop;
end
$$;
