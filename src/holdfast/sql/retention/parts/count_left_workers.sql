-- Counts those of some workers that have left, by hour, group and how they left.
create or replace function holdfast.count_left_workers(ids uuid[])
returns setof holdfast.left_worker_counts
language sql stable
as $$
  with gone as (
    select
      date_trunc('hour', coalesce(w.stopped_at, w.lease_until), 'UTC') as hour, w."group",
      case
        when w.state <> 'stopped' then 'lost'
        when w.drain_asked then 'drained'
        else coalesce(w.left_as, 'stopped')
      end as way,
      w.processed, w.failed, w.released,
      holdfast.duration_bucket(coalesce(w.stopped_at, w.lease_until) - w.started_at) as tenth
    from holdfast.workers as w
    where w.id = any (ids)
      and (w.state = 'stopped' or w.lease_until < holdfast.now())
  ), alike as (
    select g.hour, g."group", g.way, g.tenth, count(*) as workers, sum(g.processed) as processed,
      sum(g.failed) as failed, sum(g.released) as released
    from gone as g
    group by g.hour, g."group", g.way, g.tenth
  )
  select a.hour, a."group", a.way, sum(a.workers)::bigint, sum(a.processed)::bigint, sum(a.failed)::bigint,
    sum(a.released)::bigint, jsonb_object_agg(a.tenth, a.workers)
  from alike as a
  group by a.hour, a."group", a.way
$$;
