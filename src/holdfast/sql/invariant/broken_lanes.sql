-- Violations of: a job stands in a lane of its queue.
create or replace function holdfast.broken_lanes(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  select 'lane_of_another_queue', j.id, format('it is in queue %s, and its lane %s in %s', j.queue, l.lane, l.queue)
  from (select n.id, n.queue, n.lane from holdfast.jobs as n order by n.id desc limit max) as j
  join holdfast.lanes as l on l.lane = j.lane
  where l.queue <> j.queue
$$;
