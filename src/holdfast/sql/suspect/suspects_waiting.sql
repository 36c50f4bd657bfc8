-- Returns how many workers for suspects of each queue this worker should start now.
-- A suspect is a job whose worker vanished or left while it ran; it runs alone, in a worker registered with isolation
-- 'only'. At most 16 of those live at once, plus one for a queue that has none; parents share the starts among
-- themselves.
-- plan: no seqscan
create or replace function holdfast.suspects_waiting(worker uuid)
returns table (queue text, wanted integer)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with live as materialized (
    select
      w.*,
      w.isolation = 'only'
        and not exists (select from holdfast.jobs as j where j.worker_id = w.id and j.state = 'running') as is_idle,
      -- The parents rotate every ten seconds, so that a hanging one does not keep a suspect waiting.
      row_number() over (partition by w.isolation order by w.id)
        + extract(epoch from holdfast.now())::bigint / 10 as place
    from holdfast.workers as w
    where holdfast.has_lease(w.id)
  ), waiting as (
    select l.queue, sum(found.jobs) as jobs
    from live as w
    join holdfast.workers as me on me.id = w.id
    join holdfast.lanes as l on l.is_suspect and holdfast.reaches(me, l)
    cross join lateral (
      select count(*) as jobs
      from (select from holdfast.jobs as j where j.lane = l.lane and j.state = 'ready' limit 16) as few
    ) as found
    where w.id = worker
      and found.jobs > 0
      -- A worker for a suspect that cannot start would stop at once.
      and not exists (
        select from holdfast.lane_blockers(l.lane, null) as b
        where b.blocks and b.blocker not in ('suspect', 'alone'))
    group by l.queue
  ), counted as (
    select
      s.queue,
      s.jobs - (select count(*) from live as w where w.is_idle and s.queue = any (w.queues)) as missing,
      (select count(*) from live as w where w.isolation = 'only' and s.queue = any (w.queues)) as here,
      (select count(*) from live as w where w.isolation = 'only') as everywhere,
      (select greatest(1, count(*))
       from live as w
       where w.isolation = 'children' and s.queue = any (w.queues)) as parents,
      (select w.place from live as w where w.id = worker) as place
    from waiting as s
  )
  select c.queue, greatest(0, ceil((m.wanted - c.place % c.parents)::double precision / c.parents))::integer
  from counted as c
  cross join lateral (select least(c.missing, greatest((c.here = 0)::integer, 16 - c.everywhere)) as wanted) as m
$$;
