-- Counts the live jobs of queues by name, lane by lane, from a place on, until the time is over.
-- One row for each queue of which all was counted; if the time was over before, a last row with the place to continue
-- from. Only queues with live jobs, and those with a sample since then. Stable: all its statements see the snapshot of
-- the statement that calls it.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.count_depths(start jsonb, since timestamptz, until timestamptz, chunk integer)
returns table (queue text, began_at timestamptz, sampled_at timestamptz, waiting bigint, scheduled bigint, ready bigint,
  running bigint, oldest_ready timestamptz, place jsonb)
language plpgsql stable
as $$
#variable_conflict use_variable
declare
  at     constant timestamptz := holdfast.now();
  -- Running jobs are at most as many as all workers have slots: counted together.
  busy   constant jsonb := (
    select coalesce(jsonb_object_agg(r.queue, r.jobs), '{}')
    from (select j.queue, count(*) as jobs from holdfast.jobs as j where j.state = 'running' group by j.queue) as r);
  last   integer := coalesce((start ->> 'lane')::integer, -1);
  walk   jsonb := nullif(start -> 'walk', 'null');
  next   record;
  found  record;
begin
  queue := coalesce(start ->> 'queue', '');
  began_at := coalesce((start ->> 'began_at')::timestamptz, at);
  sampled_at := at;
  waiting := coalesce((start ->> 'waiting')::bigint, 0);
  scheduled := coalesce((start ->> 'scheduled')::bigint, 0);
  ready := coalesce((start ->> 'ready')::bigint, 0);
  oldest_ready := (start ->> 'oldest_ready')::timestamptz;
  for next in
    select p.queue, p.lane
    from holdfast.lanes_to_count(array(select jsonb_object_keys(busy)), since) as p
    where (p.queue, p.lane) > (queue, last) or walk is not null and (p.queue, p.lane) = (queue, last)
    order by p.queue, p.lane
  loop
    if next.queue <> queue and queue <> '' then
      running := coalesce((busy ->> queue)::bigint, 0);
      return next;
      began_at := at;
      waiting := 0;
      scheduled := 0;
      ready := 0;
      oldest_ready := null;
    end if;
    if walk is null or next.lane <> last then
      walk := case when next.lane > 0 then jsonb '{"part": "ready"}' end;
    end if;
    queue := next.queue;
    last := next.lane;
    while walk is not null loop
      if walk ->> 'part' = 'ready' then
        select * into found from holdfast.count_ready(last, walk, chunk);
        ready := ready + found.jobs;
        oldest_ready := least(oldest_ready, found.oldest);
        walk := coalesce(found.rest, '{"part": "parked"}');
      else
        select * into found from holdfast.count_parked(last, walk, chunk);
        waiting := waiting + found.waiting;
        scheduled := scheduled + found.scheduled;
        walk := found.rest;
      end if;
      if clock_timestamp() >= until then
        place := jsonb_build_object('queue', queue, 'began_at', began_at, 'waiting', waiting, 'scheduled', scheduled,
          'ready', ready, 'oldest_ready', oldest_ready, 'lane', last, 'walk', walk);
        return next;
        return;
      end if;
    end loop;
  end loop;
  if queue <> '' then
    running := coalesce((busy ->> queue)::bigint, 0);
    return next;
  end if;
end
$$;
