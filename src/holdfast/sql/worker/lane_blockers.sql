-- What keeps every worker from claiming in a lane: the predicates of the claim, one by one.
create or replace function holdfast.lane_blockers(lane_id integer)
returns table (blocker text, detail text, until timestamptz)
language sql stable
as $$
  select 'paused', format('Queue %s is paused since %s%s.', q.name, q.paused_at, ': ' || q.paused_reason), null::timestamptz
  from holdfast.lanes as l
  join holdfast.queues as q on q.name = l.queue
  where l.lane = lane_id and q.paused_at is not null
  union all
  select
    case when l."group" = '' then 'no_worker' else 'no_worker_in_group' end,
    case when l."group" = '' then format('No live worker claims from queue %s.', l.queue)
      else format('No live worker of group %s claims from queue %s.', l."group", l.queue) end,
    null::timestamptz
  from holdfast.lanes as l
  where l.lane = lane_id
    and not exists (
      select from holdfast.workers as w
      where holdfast.has_lease(w.id) and l.queue = any (w.queues) and l."group" in ('', w."group")
    )
$$;
comment on function holdfast.lane_blockers(integer) is 'What keeps every worker from claiming in a lane.';
