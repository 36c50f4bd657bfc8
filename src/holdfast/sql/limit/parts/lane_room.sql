-- How many jobs of a lane may start now under the limits of its queue and task.
create or replace function holdfast.lane_room(lane_id integer, wanted integer, at timestamptz)
returns integer
language sql stable
as $$
  select coalesce(min(r.room), wanted)
  from holdfast.lanes as l
  join holdfast.limits as t on t.kind = 'queue' and t.name = l.queue or t.kind = 'task' and t.name = l.task
  cross join lateral holdfast.limit_room(t, wanted, at) as r
  where l.lane = lane_id
$$;
