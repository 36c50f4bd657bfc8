"""What people watch of a queue: jobs by state, how they flow, its pause, dead letters and workers."""

from collections.abc import Sequence

from holdfast.db.statement import Executor, fetch_value
from holdfast.model.overview import OverviewQueue

# Which queues: the first $1 of those in $2, or of all. $3: whether workers, endpoints and people are named.
CHOSEN = """
with chosen as materialized (
  select name from unnest($2::text[]) as name where $2 is not null
  union all
  select name from holdfast.queue_names(null, $1::integer) as name where $2 is null
  order by name
  limit $1
), lately as materialized (
  select queue, sum(enqueued) / 10.0 as enqueued, sum(ended) / 10.0 as ended
  from holdfast.stats_by_minute('10 minutes')
  group by queue
), staged as materialized (
  select queue, min(endpoint) as endpoint from holdfast.stage_view where is_newest group by queue
), sampled as materialized (
  select queue, minute, sampled_at, ready + running as to_do, waiting + scheduled + ready + running as live
  from holdfast.depth_history('10 minutes')
  where queue in (select name from chosen)
), grown as materialized (
  -- Statistics count new jobs by queue, not arrivals at a stage: those are what left and what it grew by.
  select queue, (newest - oldest) / greatest(1, extract(epoch from span) / 60)::double precision as per_minute
  from (
    select
      queue, max(sampled_at) - min(sampled_at) as span,
      (array_agg(live order by minute))[1] as oldest, (array_agg(live order by minute desc))[1] as newest
    from sampled
    where queue in (select queue from staged)
    group by queue
    having count(*) > 1
  ) as d
), fallen as materialized (
  -- A burst makes ten minutes look like growth while it is worked off: the last three say where it goes now.
  select queue, (oldest - newest) / greatest(1, extract(epoch from span) / 60)::double precision as per_minute
  from (
    select
      queue, max(sampled_at) - min(sampled_at) as span,
      (array_agg(to_do order by minute))[1] as oldest, (array_agg(to_do order by minute desc))[1] as newest
    from sampled
    where minute >= holdfast.now() - interval '4 minutes'
    group by queue
    having count(*) > 1
  ) as d
), arrived as materialized (
  select
    name as queue,
    case
      when s.queue is null then coalesce(l.enqueued, 0)
      else greatest(0, coalesce(l.ended, 0) + coalesce(g.per_minute, 0))
    end as per_minute
  from chosen
  left join lately as l on l.queue = name
  left join staged as s on s.queue = name
  left join grown as g on g.queue = name
), unserved as materialized (
  select name from holdfast.neglected_queues(1000) as name
), letters as materialized (
  select queue, letters from holdfast.open_letters(1000)
), takers as materialized (
  select queue, count(*) as workers
  from holdfast.worker_view as w
  cross join unnest(w.queues) as queue
  where w.state = 'working' and $3
  group by queue
)
"""
FIGURES = """
select coalesce(json_agg(json_build_object(
  'name', q.name, 'paused', q.paused_at is not null, 'paused_at', q.paused_at,
  'paused_reason', q.paused_reason, 'paused_by', case when $3 then q.paused_by end,
  'workers', case when $3 then coalesce((select t.workers from takers as t where t.queue = q.name), 0) end,
  'waiting', q.waiting, 'scheduled', q.scheduled,
  'ready', q.ready, 'running', q.running, 'oldest', q.oldest_ready,
  'per_minute', coalesce(s.ended, 0), 'enqueued_per_minute', a.per_minute,
  'empty_in', case
    when s.ended > a.per_minute and q.left_to_do > 0 then 60 * q.left_to_do / (s.ended - a.per_minute)
    when f.per_minute > 0 and q.left_to_do > 0 then 60 * q.left_to_do / f.per_minute
  end,
  'max_concurrent', q.max_concurrent,
  'endpoint', case when $3 then coalesce(q.endpoint, t.endpoint) end,
  'is_served', not exists (select from unserved as u where u.name = q.name), 'more_than', q.more_than,
  'sampled_at', q.sampled_at, 'sampled_waiting', q.sampled_waiting,
  'sampled_scheduled', q.sampled_scheduled, 'sampled_ready', q.sampled_ready,
  'sampled_running', q.sampled_running,
  'dead', coalesce((select d.letters from letters as d where d.queue = q.name), 0)
) order by q.name), '[]')
from (
  select
    v.*,
    v.running + case
      when 'ready' = any (v.more_than) then greatest(v.ready, v.sampled_ready)
      else v.ready
    end as left_to_do
  from holdfast.queue_view as v
  where v.name = any (array(select name from chosen))
) as q
left join lately as s on s.queue = q.name
left join arrived as a on a.queue = q.name
left join staged as t on t.queue = q.name
left join fallen as f on f.queue = q.name
"""


async def queue_figures(on: Executor, names: Sequence[str], with_people: bool) -> list[OverviewQueue]:
    """The existing ones of these names. `with_people`: who paused one, and how many workers take it."""
    from pydantic import TypeAdapter

    text = await fetch_value(on, f"{CHOSEN} select ({FIGURES})::text", len(names), names, with_people)
    return TypeAdapter(list[OverviewQueue]).validate_json(text)
