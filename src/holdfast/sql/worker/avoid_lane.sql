-- Keeps a worker from a lane for ten seconds, because it got a task from it that it does not know.
create or replace function holdfast.avoid_lane(worker uuid, lane integer, at timestamptz)
returns void
language sql volatile
as $$
  insert into holdfast.avoided_lanes (worker_id, lane, until)
  select avoid_lane.worker, avoid_lane.lane, at + interval '10 seconds'
  where not exists (
    select from holdfast.avoided_lanes as a
    where a.worker_id = avoid_lane.worker
      and a.lane = avoid_lane.lane
      and a.until > at + interval '9 seconds'
  )
$$;
