-- Moves the marks of a lane to the first ready job after each, less half a second for enqueues that commit late.
create or replace function holdfast.raise_marks(in_lane integer, at timestamptz)
returns void
language sql volatile
as $$
  update holdfast.lane_marks as m
  set rank_at = greatest(m.rank_at, coalesce(
    (select j.rank_at
     from holdfast.jobs as j
     where j.lane = in_lane and j.state = 'ready' and j.urgency = m.urgency and j.rank_at >= m.rank_at
     order by j.rank_at, j.id
     limit 1),
    at) - interval '500 milliseconds')
  where m.lane = in_lane
$$;
