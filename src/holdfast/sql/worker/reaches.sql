-- Whether a worker serves the queue and group of a lane, itself or through workers that it starts for suspects.
create or replace function holdfast.reaches(worker holdfast.workers, lane holdfast.lanes)
returns boolean
language sql stable
as $$
  select worker.state = 'working'
    and lane.queue = any (worker.queues)
    and lane."group" in ('', worker."group")
$$;
