-- Why no worker can claim a job of this task from a lane: the conditions of the claim, one by one.
create or replace function holdfast.lane_blockers(lane_id integer, task text)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language sql stable
as $$
  with lane as (
    select l.*, q.paused_at, q.paused_reason
    from holdfast.lanes as l
    join holdfast.queues as q on q.name = l.queue
    where l.lane = lane_id
  ), reader as (
    select w.*, a.until as avoids_until
    from holdfast.lanes as l
    join holdfast.workers as w on holdfast.has_lease(w.id) and holdfast.may_claim(w, l)
    left join lateral (
      select max(v.until) as until
      from holdfast.avoided_lanes as v
      where v.worker_id = w.id and v.lane = l.lane and v.until > holdfast.now()
    ) as a on true
    where l.lane = lane_id
  ), able as (
    select r.* from reader as r where r.avoids_until is null
  ), parent as (
    select w.id
    from holdfast.lanes as l
    join holdfast.workers as w on w.isolation = 'children' and holdfast.reaches(w, l)
    where l.lane = lane_id
      and l.is_suspect
      and holdfast.has_lease(w.id)
  )
  select
    'paused',
    format('Queue %s is paused since %s%s.', l.queue, holdfast.time_words(l.paused_at), ': ' || l.paused_reason),
    null::timestamptz, true
  from lane as l
  where l.paused_at is not null
  union all
  select 'all_paused',
    format('All queues are paused since %s%s; resume_all_queues ends it.',
      holdfast.time_words(p.paused_at), ': ' || p.reason), null, true
  from holdfast.full_pause as p
  cross join lane as l
  where l.queue <> 'holdfast'
  union all
  select
    case when l."group" = '' then 'no_worker' else 'no_worker_in_group' end,
    case when l."group" = '' then format('No live worker claims from queue %s.', l.queue)
      else format('No live worker of group %s claims from queue %s.', l."group", l.queue) end,
    null, true
  from lane as l
  where not exists (select from reader)
    and not exists (select from parent)
  union all
  select 'suspect',
    'It is a suspect: a worker vanished or left while it ran. It runs alone, in a worker that is started for it.',
    null, true
  where not exists (select from reader)
    and exists (select from parent)
  union all
  select 'alone',
    format('Each of its %s live workers runs a suspect alone, and claims nothing else until that ends.', count(*)),
    null, true
  from holdfast.workers as w
  where w.id in (select r.id from able as r)
  having count(*) > 0 and bool_and(holdfast.runs_alone(w))
  union all
  select 'avoided',
    format('Each of its %s live workers got a task in this lane that it does not know, and leaves the lane alone for a'
      ' while.', count(*)), min(r.avoids_until), true
  from reader as r
  where not exists (select from able)
  having count(*) > 0
  union all
  select r.reason, holdfast.refusal_words(e, r.reason), case when a.room <= 0 then to_timestamp(a.until) end, true
  from lane as l
  cross join lateral holdfast.serving_endpoint(l.lane, holdfast.now()) as e
  cross join lateral holdfast.admission(e, extract(epoch from holdfast.now())::double precision) as a
  cross join lateral (
    select case when a.room <= 0 then a.reason when holdfast.share_room(e, l.queue) <= 0 then 'share' end as reason
  ) as r
  where e.name is not null
    and r.reason is not null
  union all
  select b.* from holdfast.limit_blockers(lane_id) as b
  union all
  -- Claims do not filter by task: a worker gets the job and fails it with class system.
  select
    'unknown_task',
    format('No live worker that claims from queue %s has registered task %s.', l.queue, lane_blockers.task),
    null, false
  from lane as l
  where exists (select from able)
    and not exists (select from able as a where a.tasks = '{}' or lane_blockers.task = any (a.tasks))
  union all
  select
    'unknown_task',
    format('No worker or app has registered the task %s: check its name.', lane_blockers.task),
    null, false
  where not exists (select from reader)
    and not exists (select from parent)
    and not exists (select from holdfast.task_view as v where v.name = lane_blockers.task)
$$;
