-- Returns what ended and failed lately by minute and queue, for charts; by hour where minutes were folded.
-- since as for end_stats. ended counts jobs and stages that jobs left; failed counts attempts. Minutes without any are
-- left out. is_partial: there are more than the newest 200,000 rows, which are returned.
create or replace function holdfast.stats_by_minute(since interval default '1 hour', queue text default null)
returns table (
  minute timestamptz, is_hour boolean, queue text, enqueued bigint, ended bigint, completed bigint, rejected bigint,
  cancelled bigint, dead bigint, failed bigint, units double precision, cost double precision,
  is_partial boolean
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select
    c.minute, c.is_hour, c.queue,
    coalesce(sum(c.jobs) filter (where c.what = 'enqueue'), 0)::bigint,
    coalesce(sum(c.jobs) filter (where c.what = 'end'), 0)::bigint,
    coalesce(sum(c.jobs) filter (where c.state = 'completed'), 0)::bigint,
    coalesce(sum(c.jobs) filter (where c.state = 'rejected'), 0)::bigint,
    coalesce(sum(c.jobs) filter (where c.state = 'cancelled'), 0)::bigint,
    coalesce(sum(c.jobs) filter (where c.state = 'dead'), 0)::bigint,
    coalesce(sum(c.jobs) filter (where c.state in ('failed', 'timed_out')), 0)::bigint,
    coalesce(sum(c.units) filter (where c.what = 'end'), 0), coalesce(sum(c.cost) filter (where c.what = 'end'), 0),
    count(*) over () > 200000
  from holdfast.end_counts as c
  where c.is_hour = any (array[false, true])
    and c.minute >= holdfast.now() - least(greatest(since, '1 minute'), '366 days')
    and c.what = any (array['end', 'attempt', 'enqueue'])
    and (stats_by_minute.queue is null or c.queue = stats_by_minute.queue)
  group by c.minute, c.is_hour, c.queue
  order by c.minute desc, c.queue
  limit 200000
$$;
