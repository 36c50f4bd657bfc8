-- Where jobs of a queue would stand in another: one row per lane and task of the given jobs. Creates new lanes.
-- A job that has the usual endpoint, priority or timeout of its task and queue gets the usual one of the other queue;
-- usual_priority and usual_timeout say by what to know it.
create or replace function holdfast.new_places(ids uuid[], from_queue text, to_queue text)
returns table (
  old_lane integer, task text, lane integer, usual_priority integer, usual_timeout interval, priority integer,
  timeout interval, ageing double precision, wakes boolean
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  p record;
begin
  for p in
    select
      found.lane as old_lane, found.task as job_task, l."group", l.is_capped, usual.priority as usual_priority,
      usual.timeout as usual_timeout, place.*
    from (select distinct j.lane, j.task from holdfast.jobs as j where j.id = any (ids)) as found
    join holdfast.lanes as l on l.lane = found.lane
    cross join lateral holdfast.find_place(found.task, from_queue, null, l."group", l.is_capped) as usual
    cross join lateral holdfast.find_place(
      found.task, to_queue, nullif(l.endpoint, usual.endpoint), l."group", l.is_capped) as place
    -- New lanes are created in one order, so that two moves, or a move and an enqueue, cannot deadlock.
    order by place.queue, place.endpoint, l."group", place.task, l.is_capped
  loop
    old_lane := p.old_lane;
    task := p.job_task;
    lane := coalesce(p.lane, holdfast.find_lane(to_queue, p.endpoint, p."group", p.task, p.is_capped));
    usual_priority := p.usual_priority;
    usual_timeout := p.usual_timeout;
    priority := p.priority;
    timeout := p.timeout;
    ageing := p.ageing;
    wakes := p.wakes;
    return next;
  end loop;
end
$$;
