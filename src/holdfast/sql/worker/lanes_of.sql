-- The lanes that a worker claims from, those of suspects first, in random order by weight. Paused queues and those it avoids are left out.
create or replace function holdfast.lanes_of(worker uuid)
returns table (lane integer, queue text, endpoint text, is_special boolean, is_full boolean, is_suspect boolean)
language sql volatile
as $$
  select l.lane, l.queue, l.endpoint, q.is_limited or l.task <> '' or l.is_capped, q.detail = 'full', l.is_suspect
  from holdfast.workers as w
  join holdfast.lanes as l on holdfast.may_claim(w, l)
  join holdfast.queues as q on q.name = l.queue and q.paused_at is null
  where w.id = worker
    and not exists (select from holdfast.avoided_lanes as a where a.worker_id = w.id and a.lane = l.lane and a.until > holdfast.now())
    and (w.alone_with is null or not holdfast.runs_alone(w))
  -- The lane with the least waiting time of a race in which each runs at its weight.
  order by l.is_suspect desc, -ln(1 - random()) / coalesce((w.weights ->> l.queue)::double precision, q.weight)
$$;
comment on function holdfast.lanes_of(uuid)
  is 'The lanes that a worker claims from, in random order by weight, without paused queues and lanes that it avoids; none while it runs a suspect.';
