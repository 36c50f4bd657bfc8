-- For how many suspects of each of its queues a worker should start workers of their own now. All that live together are at most 16, plus one for a queue that has none.
create or replace function holdfast.suspects_waiting(worker uuid)
returns table (queue text, wanted integer)
language sql stable security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
as $$
  with live as materialized (
    select w.* from holdfast.workers as w where holdfast.has_lease(w.id)
  ), waiting as (
    select l.queue, count(*) as jobs
    from live as w
    join holdfast.lanes as l on l.is_suspect and holdfast.reaches(w, l)
    join holdfast.queues as q on q.name = l.queue and q.paused_at is null
    cross join lateral (select from holdfast.jobs as j where j.lane = l.lane and j.state = 'ready' limit 16) as j
    where w.id = worker
    group by l.queue
  ), counted as (
    select
      s.queue, s.jobs,
      (select count(*) from live as w where w.isolation = 'only' and s.queue = any (w.queues)) as here,
      (select count(*) from live as w where w.isolation = 'only') as everywhere,
      (select greatest(1, count(*)) from live as w where w.isolation = 'children' and s.queue = any (w.queues)) as parents
    from waiting as s
  )
  -- Each parent starts its share.
  select c.queue, ceil(greatest((c.here = 0)::integer, least(c.jobs, 16 - c.everywhere))::double precision / c.parents)::integer
  from counted as c
$$;
comment on function holdfast.suspects_waiting(uuid) is 'How many workers for suspects of each of its queues a worker should start now.';
