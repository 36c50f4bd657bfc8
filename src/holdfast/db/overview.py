"""The data of `holdfast top` in one statement, so that a frame needs one round trip."""

from dataclasses import replace

from holdfast.db.statement import Executor, fetch_value
from holdfast.model.overview import Overview

GLANCE = """
with letters as materialized (
  select queue from holdfast.dead_letter_view
  where replayed_at is null and status = 'open'
  order by died_at desc
  limit 10001
)
select json_build_object(
  'now', holdfast.now(),
  'queues', (
    select coalesce(json_agg(json_build_object(
      'name', q.name, 'paused', q.paused_at is not null, 'waiting', q.waiting, 'scheduled', q.scheduled,
      'ready', q.ready, 'running', q.running, 'oldest', q.oldest_ready,
      'per_minute', coalesce(s.per_minute, 0), 'more_than', q.more_than,
      'sampled_at', q.sampled_at, 'sampled_waiting', q.sampled_waiting,
      'sampled_scheduled', q.sampled_scheduled, 'sampled_ready', q.sampled_ready,
      'sampled_running', q.sampled_running,
      'dead', (select count(*) from letters as d where d.queue = q.name)
    ) order by q.name), '[]')
    from (
      select * from holdfast.queue_view
      where name = any (array(select holdfast.queue_names(null, $1::integer)))
    ) as q
    left join holdfast.end_stats('10 minutes', 'queue') as s on s.name = q.name
  ),
  'workers', (
    select coalesce(json_agg(json_build_object(
      'host', w.host, 'pid', w.pid, 'state', w.state, 'running', w.running, 'slots', w.slots,
      'version', w.version
    ) order by w.started_at desc), '[]')
    from (
      select * from holdfast.worker_view
      where state in ('working', 'draining')
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
      order by circuit = 'closed', name
      limit 10
    ) as e
  ),
  'running', (
    select coalesce(json_agg(json_build_object(
      'id', j.id, 'task', j.task, 'started', j.started_at, 'progress', j.progress
    ) order by j.started_at), '[]')
    from (
      select id, task, started_at, progress from holdfast.job_view
      where state = 'running' and ended_at is null and progress is not null
      order by started_at limit 5
    ) as j
  ),
  'errors', (
    select coalesce(json_agg(json_build_object(
      'type', e.error_type, 'message', left(e.message, 200), 'attempts', e.attempts, 'last', e.last_at
    ) order by e.attempts desc), '[]')
    from holdfast.recent_errors('10 minutes', '{}', 5) as e
  )
)::text
"""

QUEUES = 50  # more would not fit on a screen


async def overview(on: Executor) -> Overview:
    from pydantic import TypeAdapter

    found = TypeAdapter(Overview).validate_json(await fetch_value(on, GLANCE, QUEUES + 1))
    return replace(found, queues=found.queues[:QUEUES], has_more_queues=len(found.queues) > QUEUES)
