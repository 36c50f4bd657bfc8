-- The queue, endpoint and group of a lane, also after the lane was removed.
create or replace function holdfast.lane_of(number integer, out queue text, out endpoint text, out "group" text)
language sql stable
as $$
  select l.queue, l.endpoint, l."group" from holdfast.lanes as l where l.lane = number
  union all
  select p.queue, p.endpoint, p."group" from holdfast.past_lanes as p where p.lane = number
  limit 1
$$;
