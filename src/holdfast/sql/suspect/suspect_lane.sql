-- The lane for suspects of a lane, which name_suspect_lanes has created; null if it has not.
create or replace function holdfast.suspect_lane(of_lane integer)
returns integer
language sql stable
as $$
  select s.lane
  from holdfast.lanes as l
  join holdfast.lanes as s
    on s.queue = l.queue
    and s.endpoint = l.endpoint
    and s."group" = l."group"
    and s.task = l.task
    and s.is_capped = l.is_capped
    and s.is_suspect
  where l.lane = of_lane
$$;
