"""The verbs on queues and tasks."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.db import rows
from holdfast.db.connect import Database
from holdfast.db.statement import Executor, fetch, fetch_row, run
from holdfast.model.error import Timeout
from holdfast.model.queue import FullPause, QueueDetails, QueueSummary

DECLARE_QUEUE = "select holdfast.declare_queue($1::text, $2::jsonb)"
DECLARE_TASK = "select holdfast.declare_task($1::text, $2::jsonb)"
NAME_QUEUE = "select holdfast.declare_queue($1::text, null)"
BRIEFLY = "set local lock_timeout = '1s'"
PAUSE = "select holdfast.pause_queue($1::text, $2::text, $3::text)"
RESUME = "select holdfast.resume_queue($1::text, $2::text, $3::text)"
PAUSE_ALL = "select holdfast.pause_all_queues($1::text, $2::text)"
RESUME_ALL = "select holdfast.resume_all_queues($1::text, $2::text)"
FULL_PAUSE = "select paused_at, reason, actor from holdfast.pause_view"
LIST = """
select * from holdfast.queue_view
where name = any (array(select holdfast.queue_names($1::text, $2::integer)))
order by name
"""
NAMED = "select * from holdfast.queue_view where name = any ($1::text[]) order by name"
GET = """
select
  name, paused_at, paused_reason, waiting, scheduled, ready, running, oldest_ready,
  priority, max_failures, max_losses, retry, timeout, max_wait, rescue_delay, cancel_grace, ageing, weight,
  detail, retention, payload_limit, endpoint, notify, max_concurrent, rate, created_at, more_than
from holdfast.queue_view
where name = $1
"""

Policy = Mapping[str, Any]


async def declare_queue(on: Executor, name: str, policy: Policy | None = None) -> None:
    """Create the queue if it is absent; only the keys given are changed."""
    await run(on, DECLARE_QUEUE, name, json.dumps(policy or {}))


async def name_queue(database: Database, name: str) -> None:
    """Make the queue's row in a transaction of its own, unless somebody's open transaction is making it.

    Whoever makes it in a long transaction keeps all other producers of the queue waiting until the commit.
    """
    try:
        async with database.transaction() as conn:
            await run(conn, BRIEFLY)
            await run(conn, NAME_QUEUE, name)
    except Timeout:
        return


async def declare_task(on: Executor, name: str, policy: Policy | None = None) -> None:
    await run(on, DECLARE_TASK, name, json.dumps(policy or {}))


async def pause_queue(on: Executor, name: str, reason: str | None, actor: str) -> None:
    await run(on, PAUSE, name, reason, actor)


async def resume_queue(on: Executor, name: str, reason: str | None, actor: str) -> None:
    await run(on, RESUME, name, reason, actor)


async def pause_all(on: Executor, reason: str | None, actor: str) -> None:
    """Nothing is claimed, of queues named later neither, until all are resumed."""
    await run(on, PAUSE_ALL, reason, actor)


async def resume_all(on: Executor, reason: str | None, actor: str) -> list[str]:
    """Up to a thousand queues that stay paused, because they were paused one by one."""
    return [row[0] for row in await fetch(on, RESUME_ALL, reason, actor)]


async def full_pause(on: Executor) -> FullPause | None:
    row = await fetch_row(on, FULL_PAUSE)
    return None if row is None else FullPause(*row)


async def list_queues(on: Executor, limit: int, after: str | None = None) -> list[QueueSummary]:
    """By name, from after a name on."""
    return [rows.queue_summary(row) for row in await fetch(on, LIST, after, limit)]


async def named_queues(on: Executor, names: Iterable[str]) -> list[QueueSummary]:
    """Those of these names that there are."""
    return [rows.queue_summary(row) for row in await fetch(on, NAMED, sorted(names))]


async def get_queue(on: Executor, name: str) -> QueueDetails | None:
    row = await fetch_row(on, GET, name)
    return None if row is None else rows.queue_details(row)
