"""The verbs on queues and tasks."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdfast.db.connect import Database
from holdfast.db.read_rows import read_all, read_first
from holdfast.db.statement import Executor, fetch, fetch_value, run
from holdfast.model.audit import SettingChange
from holdfast.model.error import NotFound, Timeout
from holdfast.model.queue import FullPause, QueueDetails, QueueSummary

DECLARE_QUEUE = "select holdfast.declare_queue($1::text, $2::jsonb)"
DECLARE_TASK = "select holdfast.declare_task($1::text, $2::jsonb)"
SET_QUEUE = "select setting, before, after from holdfast.set_queue($1::text, $2::jsonb, $3::text, $4::text)"
SET_TASK = "select setting, before, after from holdfast.set_task($1::text, $2::jsonb, $3::text, $4::text)"
NAME_QUEUES = "select holdfast.declare_queue(name, null) from unnest($1::text[]) as name"
BRIEFLY = "set local lock_timeout = '1s'"
PAUSE = "select holdfast.pause_queue($1::text, $2::text, $3::text)"
RESUME = "select holdfast.resume_queue($1::text, $2::text, $3::text)"
PAUSE_ALL = "select holdfast.pause_all_queues($1::text, $2::text)"
RESUME_ALL = "select holdfast.resume_all_queues($1::text, $2::text)"
FULL_PAUSE = "select paused_at, reason, actor from holdfast.pause_view"
_SUMMARY = """
select
  name, paused_at, paused_reason, paused_by, waiting, scheduled, ready, running, oldest_ready, max_concurrent,
  rate, more_than, sampled_at, sampled_waiting, sampled_scheduled, sampled_ready, sampled_running
"""
LIST = f"""
{_SUMMARY}
from holdfast.queue_view
where name = any (array(select holdfast.queue_names($1::text, $2::integer)))
order by name
"""
NAMES = "select name from holdfast.queue_names($1::text, $2::integer) as name"
NAMED = f"{_SUMMARY} from holdfast.queue_view where name = any ($1::text[]) order by name"
GET = f"""
{_SUMMARY},
  priority, max_failures, max_losses, retry, timeout, max_wait, rescue_delay, cancel_grace, ageing, weight,
  detail, logs, retention, payload_limit, endpoint, notify, stats_label, created_at
from holdfast.queue_view
where name = $1
"""

Policy = Mapping[str, Any]
TASK_NAMES = "select name from holdfast.task_view order by name limit $1"
TASK_IS_KNOWN = "select exists (select from holdfast.task_view where name = $1)"


async def declare_queue(on: Executor, name: str, policy: Policy | None = None) -> None:
    """Create the queue if it is absent; only the keys given are changed."""
    await run(on, DECLARE_QUEUE, name, json.dumps(policy or {}))


async def set_queue(
    on: Executor, name: str, policy: Policy, reason: str | None, actor: str
) -> list[SettingChange]:
    """The same as an operator; returns what changed."""
    return await read_all(on, SettingChange, SET_QUEUE, name, json.dumps(policy), reason, actor)


async def set_task(
    on: Executor, name: str, policy: Policy, reason: str | None, actor: str
) -> list[SettingChange]:
    """Only the keys given are changed, unlike in declare_task; returns what changed."""
    return await read_all(on, SettingChange, SET_TASK, name, json.dumps(policy), reason, actor)


async def name_queues(database: Database, names: Sequence[str]) -> None:
    """Creates the queues' rows in a separate transaction, but for one that an open transaction is creating.

    In a long transaction, the new row would block all other producers of the queue until the commit. `names`
    are sorted, so that two programs that create the same queues cannot deadlock.
    """
    try:
        async with database.transaction() as conn:
            await run(conn, BRIEFLY)
            await run(conn, NAME_QUEUES, names)
    except Timeout:
        if len(names) > 1:
            for name in names:
                await name_queues(database, [name])


async def declare_task(on: Executor, name: str, policy: Policy | None = None) -> None:
    await run(on, DECLARE_TASK, name, json.dumps(policy or {}))


async def pause_queue(on: Executor, name: str, reason: str | None, actor: str) -> None:
    await run(on, PAUSE, name, reason, actor)


async def resume_queue(on: Executor, name: str, reason: str | None, actor: str) -> None:
    await run(on, RESUME, name, reason, actor)


async def pause_all(on: Executor, reason: str | None, actor: str) -> None:
    """Workers claim no job of any queue, new queues included, until all are resumed."""
    await run(on, PAUSE_ALL, reason, actor)


async def resume_all(on: Executor, reason: str | None, actor: str) -> list[str]:
    """Up to a thousand queues that stay paused because they were paused by name."""
    return [row[0] for row in await fetch(on, RESUME_ALL, reason, actor)]


async def full_pause(on: Executor) -> FullPause | None:
    return await read_first(on, FullPause, FULL_PAUSE)


async def list_queues(on: Executor, limit: int, after: str | None = None) -> list[QueueSummary]:
    """By name, after the given name."""
    return await read_all(on, QueueSummary, LIST, after, limit)


async def queue_names(on: Executor, limit: int, after: str | None = None) -> list[str]:
    """In order, after the given name; counts no jobs."""
    return [row["name"] for row in await fetch(on, NAMES, after, limit)]


async def named_queues(on: Executor, names: Iterable[str]) -> list[QueueSummary]:
    """The existing ones of these names."""
    return await read_all(on, QueueSummary, NAMED, sorted(names))


async def get_queue(on: Executor, name: str) -> QueueDetails:
    """Raises NotFound."""
    found = await read_first(on, QueueDetails, GET, name)
    if found is None:
        raise NotFound(f"There is no queue {name!r}.", "'holdfast queues list' shows all queues")
    return found


async def task_names(on: Executor, limit: int) -> list[str]:
    """Of tasks that an app has declared or a live worker has a handler for."""
    return [row["name"] for row in await fetch(on, TASK_NAMES, limit)]


async def task_is_known(on: Executor, task: str) -> bool:
    """Whether an app has declared the task or a live worker has a handler for it."""
    return bool(await fetch_value(on, TASK_IS_KNOWN, task))
