-- Returns what a worker that stops when its work is done still waits for, by queue, task and state.
-- Counts jobs of its own tasks that are ready, due within the given time, or running on any worker. Leaves out what it
-- cannot run: other tasks, other groups, paused queues.
-- plan: no seqscan
create or replace function holdfast.left_to_drain(worker uuid, within interval)
returns table (queue text, task text, state text, jobs bigint)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with mine as materialized (
    select l.lane, l.queue, w.tasks, q.paused_at is not null or exists (select from holdfast.full_pause) as is_paused
    from holdfast.workers as w
    join holdfast.lanes as l
      on holdfast.may_claim(w, l)
      or l.is_suspect and w.isolation = 'children' and holdfast.reaches(w, l)
    join holdfast.queues as q on q.name = l.queue
    where w.id = worker
  ), found as (
    select m.queue, ready.task, 'ready' as state
    from mine as m
    -- Filtered by task before the limit: jobs of unknown tasks may precede all that it can run.
    cross join lateral (
      select j.task from holdfast.jobs as j
      where j.lane = m.lane and j.state = 'ready' and j.task = any (m.tasks)
      limit 1000
    ) as ready
    where not m.is_paused
    union all
    select m.queue, due.task, 'scheduled'
    from (
      select j.lane, j.task from holdfast.jobs as j
      where j.state = 'scheduled' and j.due_at <= holdfast.now() + within
      limit 10000
    ) as due
    join mine as m on m.lane = due.lane
    where not m.is_paused and due.task = any (m.tasks)
    union all
    select m.queue, held.task, 'running'
    from (select j.lane, j.task from holdfast.jobs as j where j.state = 'running' limit 100000) as held
    join mine as m on m.lane = held.lane
    where held.task = any (m.tasks)
  )
  select f.queue, f.task, f.state, count(*)
  from found as f
  group by f.queue, f.task, f.state
  order by f.queue, f.task, f.state
$$;
