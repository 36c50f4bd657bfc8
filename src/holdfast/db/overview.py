"""The data of `holdfast top` and of live updates in one statement, so that a frame needs one round trip."""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.db.queue_figures import CHOSEN, FIGURES
from holdfast.db.read_rows import read_one
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.overview import Overview, Parked

# $2 limits it to some queues: it then leaves out workers, endpoints and errors, which belong to no queue.
GLANCE = f"""
{CHOSEN}
select json_build_object(
  'now', holdfast.now(),
  'queues', (
{FIGURES}
  ),
  'capacity', (
    select json_build_object('workers', count(*), 'slots', coalesce(sum(w.slots), 0))
    from holdfast.worker_view as w
    where w.state in ('working', 'draining') and not w.queues <@ array['holdfast'] and $2 is null
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
      order by circuit = 'closed', in_flight < "limit", name
      limit 10
    ) as e
  ),
  'running', (
    select coalesce(json_agg(json_build_object(
      'id', j.job_id, 'queue', j.queue, 'task', j.task, 'started', j.started_at, 'progress', j.progress,
      'host', w.host
    ) order by j.started_at, j.job_id), '[]')
    from holdfast.running_jobs(10, $2) as j
    -- offset 0: one look by id.
    left join lateral (
      select worker from holdfast.job_view where id = j.job_id and ended_at is null and $2 is null offset 0
    ) as v on true
    left join lateral (select host from holdfast.worker_view where id = v.worker offset 0) as w on true
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
    from holdfast.error_groups('10 minutes', '{{}}', 5, slices => 0) as e
    where $2 is null and $4 and e.sample is not null
  )
)::text
"""

PARKED = (
    "select retries, next_due, for_signals, for_children, for_order, for_budget, is_partial"
    " from holdfast.parked_jobs($1::text[])"
)
TASKS = "select count(*) from holdfast.task_view"
QUEUES = 50  # more would not fit on a screen


async def overview(on: Executor, queues: Sequence[str] | None = None, with_errors: bool = True) -> Overview:
    """Of all queues, or of some and nothing else."""
    from pydantic import TypeAdapter

    text = await fetch_value(on, GLANCE, QUEUES + 1, queues, queues is None, with_errors)
    found = TypeAdapter(Overview).validate_json(text)
    return replace(found, queues=found.queues[:QUEUES], has_more_queues=len(found.queues) > QUEUES)


async def parked_jobs(on: Executor, queues: Sequence[str] | None = None) -> Parked:
    """What scheduled and waiting jobs wait for, of all queues or of some."""
    return await read_one(on, Parked, PARKED, queues)


async def count_tasks(on: Executor) -> int:
    return int(await fetch_value(on, TASKS))
