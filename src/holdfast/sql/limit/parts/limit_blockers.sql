-- The limits of its queue and task that keep a lane from starting a job now.
create or replace function holdfast.limit_blockers(lane_id integer)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language sql stable
as $$
  select r.reason, holdfast.limit_words(t, r.reason), r.until, true
  from holdfast.lanes as l
  join holdfast.limits as t on t.kind = 'queue' and t.name = l.queue or t.kind = 'task' and t.name = l.task
  cross join lateral holdfast.limit_room(t, 1, holdfast.now()) as r
  where l.lane = lane_id
    and r.room <= 0
  order by t.kind
$$;
