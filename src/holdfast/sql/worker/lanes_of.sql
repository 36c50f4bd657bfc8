-- The lanes that a worker claims from, lanes of suspects first, then in random order by weight.
-- Leaves out paused queues and lanes that the worker avoids. A pause of all queues does not stop Holdfast's own, so
-- that operators can act meanwhile. Of more than 32 lanes only those with ready jobs are
-- returned; for fewer, that check costs more than visiting them.
create or replace function holdfast.lanes_of(worker uuid)
returns table (lane integer, queue text, endpoint text, is_special boolean, is_full boolean, is_suspect boolean)
language sql volatile
as $$
  with me as materialized (
    select w from holdfast.workers as w where w.id = worker
  ), first as materialized (
    select l from me join holdfast.lanes as l on l.queue = any ((me.w).queues) limit 33
  ), chosen as (
    select f.l from first as f where (select count(*) from first) <= 32
    union all
    select l
    from me
    cross join lateral holdfast.ready_lanes((me.w).queues) as r (lane)
    join holdfast.lanes as l on l.lane = r.lane
    where (select count(*) from first) > 32
  )
  select
    (c.l).lane, (c.l).queue, (c.l).endpoint, q.is_limited or (c.l).task <> '' or (c.l).is_capped, q.detail = 'full',
    (c.l).is_suspect
  from me
  join chosen as c on holdfast.may_claim(me.w, c.l)
  join holdfast.queues as q on q.name = (c.l).queue and q.paused_at is null
  where not exists (
    select from holdfast.avoided_lanes as a
    where a.worker_id = worker and a.lane = (c.l).lane and a.until > holdfast.now())
    and (q.name = 'holdfast' or not exists (select from holdfast.full_pause))
    and ((me.w).alone_with is null or not holdfast.runs_alone(me.w))
  -- Weighted random order: exponentially distributed keys, sorted.
  order by (c.l).is_suspect desc,
    -ln(1 - random()) / coalesce(((me.w).weights ->> (c.l).queue)::double precision, q.weight)
$$;
