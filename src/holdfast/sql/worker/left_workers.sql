-- Returns the workers that left, by hour and group: how many, how they left, how long they lived and what they did.
-- Each is counted once, in the hour in which it stopped or its lease ended; one that renews its lease after all has not
-- left. The counts of a lost worker are those of its last heartbeat. Percentiles are upper edges of buckets, each about
-- a quarter wider than the one before.
create or replace function holdfast.left_workers(since interval default '1 day', of_group text default null)
returns table (hour timestamptz, "group" text, workers bigint, stopped bigint, drained bigint, done bigint,
  time_box bigint, lost bigint, life_p50 interval, life_p95 interval, processed bigint, failed bigint, released bigint)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with every as materialized (
    select c.hour, c."group", c.way, c.workers, c.processed, c.failed, c.released, c.life_tens
    from holdfast.left_worker_counts as c
    union all
    select g.hour, g."group", g.way, g.workers, g.processed, g.failed, g.released, g.life_tens
    from holdfast.count_left_workers(array(select w.id from holdfast.workers as w)) as g
  ), chosen as materialized (
    select e.*
    from every as e
    where e.hour >= date_trunc('hour', holdfast.now() - since, 'UTC')
      and (of_group is null or e."group" = of_group)
  ), lives as (
    select l.hour, l."group", jsonb_object_agg(l.tenth, l.workers) as tens
    from (
      select c.hour, c."group", t.key as tenth, sum(t.value::bigint) as workers
      from chosen as c
      cross join lateral jsonb_each_text(c.life_tens) as t
      group by 1, 2, 3
    ) as l
    group by l.hour, l."group"
  ), summed as (
    select
      c.hour, c."group", sum(c.workers) as workers,
      sum(c.workers) filter (where c.way = 'stopped') as stopped,
      sum(c.workers) filter (where c.way = 'drained') as drained,
      sum(c.workers) filter (where c.way = 'done') as done,
      sum(c.workers) filter (where c.way = 'time_box') as time_box,
      sum(c.workers) filter (where c.way = 'lost') as lost,
      sum(c.processed) as processed, sum(c.failed) as failed, sum(c.released) as released
    from chosen as c
    group by c.hour, c."group"
  )
  select
    s.hour, s."group", s.workers::bigint, coalesce(s.stopped, 0)::bigint, coalesce(s.drained, 0)::bigint,
    coalesce(s.done, 0)::bigint, coalesce(s.time_box, 0)::bigint, coalesce(s.lost, 0)::bigint,
    holdfast.bucket_percentile(l.tens, 0.5), holdfast.bucket_percentile(l.tens, 0.95),
    s.processed::bigint, s.failed::bigint, s.released::bigint
  from summed as s
  join lives as l on l.hour = s.hour and l."group" = s."group"
  order by s.hour, s."group"
$$;
