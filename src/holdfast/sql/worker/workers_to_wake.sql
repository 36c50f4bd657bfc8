-- Returns which of some waiting workers should claim now, at most max of them, but at least one of each kind.
-- For a server at which many workers wait: one call instead of a claim for each. Jobs that are due become ready. For
-- each lane with ready jobs as many workers are returned as it has jobs, in the order of the array. Whether a worker
-- gets a job is decided by its claim. A kind are the workers of one access key with the same queues, group and tasks,
-- up to 64 kinds at a time: jobs that may not start yet, and workers that cannot do them, hold up no others.
-- plan: no seqscan
create or replace function holdfast.workers_to_wake(waiting uuid[], max integer)
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  at constant timestamptz := holdfast.now();
begin
  perform holdfast.check_count('max', max);
  perform holdfast.promote_due(at, greatest(max, 100));
  return query
    with alike as materialized (
      select w.queues, w."group", w.isolation, (array_agg(w))[1] as one, array_agg(w.id order by u.place) as ids
      from unnest(waiting) with ordinality as u (id, place)
      join holdfast.workers as w on w.id = u.id
      where w.state = 'working'
        and w.rescued_at is null
        and w.lease_until >= at
        and not w.drain_asked
      group by w.queues, w."group", w.isolation, w.tasks, w.access_key
    ), open_lane as materialized (
      select a.ids, l.lane, (
        select count(*)
        from (select from holdfast.jobs as j where j.lane = l.lane and j.state = 'ready' limit max) as r
      ) as jobs
      from alike as a
      cross join lateral holdfast.ready_lanes(a.queues) as r (lane)
      join holdfast.lanes as l on l.lane = r.lane
      join holdfast.queues as q on q.name = l.queue and q.paused_at is null
      where holdfast.may_claim(a.one, l)
    )
    select u.id
    from open_lane as o
    cross join lateral (
      select i.id, i.place from unnest(o.ids) with ordinality as i (id, place) order by i.place limit o.jobs
    ) as u
    where not exists (select from holdfast.full_pause)
    group by u.id
    order by min(u.place), random()
    limit greatest(max, least(64, (select count(distinct k.ids[1]) from open_lane as k)));
end
$$;
