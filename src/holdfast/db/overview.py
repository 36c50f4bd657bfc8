"""The data of `holdfast top` and of live updates in one statement, so that a frame needs one round trip."""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.db.statement import Executor, fetch_value
from holdfast.model.overview import Overview

# $2 limits it to some queues: it then leaves out workers, endpoints and errors, which belong to no queue.
GLANCE = """
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
), unserved as materialized (
  select name from holdfast.neglected_queues(1000) as name
), letters as materialized (
  select queue, letters from holdfast.open_letters(1000)
)
select json_build_object(
  'now', holdfast.now(),
  'queues', (
    select coalesce(json_agg(json_build_object(
      'name', q.name, 'paused', q.paused_at is not null, 'waiting', q.waiting, 'scheduled', q.scheduled,
      'ready', q.ready, 'running', q.running, 'oldest', q.oldest_ready,
      'per_minute', coalesce(s.ended, 0), 'enqueued_per_minute', coalesce(s.enqueued, 0),
      'empty_in', case
        when s.ended > coalesce(s.enqueued, 0) and q.left_to_do > 0
          then 60 * q.left_to_do / (s.ended - coalesce(s.enqueued, 0))
      end,
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
  ),
  'workers', (
    select coalesce(json_agg(json_build_object(
      'host', w.host, 'pid', w.pid, 'state', w.state, 'running', w.running, 'slots', w.slots,
      'version', w.version
    ) order by w.started_at desc), '[]')
    from (
      select * from holdfast.worker_view
      where state in ('working', 'draining') and $2 is null
      order by started_at desc
      limit 20
    ) as w
  ),
  'endpoints', (
    select coalesce(json_agg(json_build_object(
      'name', e.name, 'circuit', e.circuit, 'open_until', e.open_until, 'running', e.in_flight,
      'limit', e.limit
    ) order by e.name), '[]')
    from (
      select name, circuit, open_until, in_flight, "limit" from holdfast.endpoint_view
      where $2 is null
      order by circuit = 'closed', name
      limit 10
    ) as e
  ),
  'running', (
    select coalesce(json_agg(json_build_object(
      'id', j.job_id, 'queue', j.queue, 'task', j.task, 'started', j.started_at, 'progress', j.progress
    ) order by j.started_at, j.job_id), '[]')
    from holdfast.running_jobs(10, $2) as j
  ),
  'ended', (
    select coalesce(json_agg(json_build_object(
      'id', e.job_id, 'queue', e.queue, 'task', e.task, 'state', e.state, 'attempt', e.attempt,
      'reason', left(e.reason, 200), 'ran', extract(epoch from e.ran), 'ended', e.ended_at
    ) order by e.ended_at desc, e.job_id desc), '[]')
    from holdfast.recent_ends(10, $2) as e
  ),
  'errors', (
    select coalesce(json_agg(json_build_object(
      'type', e.error_type, 'message', left(e.message, 200), 'attempts', e.attempts, 'last', e.last_at
    ) order by e.attempts desc), '[]')
    from holdfast.recent_errors('10 minutes', '{}', 5) as e
    where $2 is null
  )
)::text
"""

QUEUES = 50  # more would not fit on a screen


async def overview(on: Executor, queues: Sequence[str] | None = None) -> Overview:
    """Of all queues, or of some and nothing else."""
    from pydantic import TypeAdapter

    text = await fetch_value(on, GLANCE, QUEUES + 1, queues)
    found = TypeAdapter(Overview).validate_json(text)
    return replace(found, queues=found.queues[:QUEUES], has_more_queues=len(found.queues) > QUEUES)
