"""What `holdfast top` shows, in one statement: a slow connection pays for one round trip a frame."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from holdfast.db.statement import Executor, fetch_value
from holdfast.model.glance import Glance, GlanceError, GlanceJob, GlanceQueue, GlanceWorker
from holdfast.model.job import JobProgress

GLANCE = """
select json_build_object(
  'now', holdfast.now(),
  'queues', (
    select coalesce(json_agg(json_build_object(
      'name', q.name, 'paused', q.paused_at is not null, 'waiting', q.waiting, 'scheduled', q.scheduled,
      'ready', q.ready, 'running', q.running, 'oldest', q.oldest_ready,
      'per_minute', coalesce(s.per_minute, 0), 'dead', coalesce(s.dead, 0), 'more_than', q.more_than
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
    from (select * from holdfast.worker_view order by started_at desc limit 20) as w
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


async def glance(on: Executor) -> Glance:
    found: dict[str, Any] = json.loads(await fetch_value(on, GLANCE, QUEUES + 1))
    queues = [_queue(queue) for queue in found["queues"]]
    return Glance(
        _moment(found["now"]),
        queues[:QUEUES],
        [GlanceWorker(**worker) for worker in found["workers"]],
        [GlanceError(**{**error, "last": _moment(error["last"])}) for error in found["errors"]],
        [_job(job) for job in found["running"]],
        has_more_queues=len(queues) > QUEUES,
    )


def _queue(found: Mapping[str, Any]) -> GlanceQueue:
    oldest = None if found["oldest"] is None else _moment(found["oldest"])
    return GlanceQueue(**{**found, "oldest": oldest})


def _job(found: Mapping[str, Any]) -> GlanceJob:
    told = found["progress"]
    progress = JobProgress(**{**told, "updated_at": _moment(told["updated_at"])})
    return GlanceJob(found["id"], found["task"], _moment(found["started"]), progress)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
