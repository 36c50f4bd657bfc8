-- Whether a lane is of a queue and a group that a worker serves, by itself or by workers that it starts for suspects.
create or replace function holdfast.reaches(worker holdfast.workers, lane holdfast.lanes)
returns boolean
language sql stable
as $$
  select worker.state = 'working'
    and lane.queue = any (worker.queues)
    and lane."group" in ('', worker."group")
$$;
comment on function holdfast.reaches(holdfast.workers, holdfast.lanes) is 'Whether a worker serves the queue and group of a lane.';
