"""Limits of queues and tasks, and what runs under them."""

from typing import Any
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import to_json

RUNNING = "select count(*) from holdfast.jobs where state = 'running' and queue = coalesce($1, queue)"


async def a_task(conn: Connection, name: str = "task", **policy: Any) -> str:
    await conn.execute("select holdfast.declare_task($1, $2)", name, to_json(policy))
    return name


async def running(conn: Connection, queue: str | None = None) -> int:
    return int(await conn.fetchval(RUNNING, queue))


async def lane_tasks(conn: Connection, *jobs: UUID) -> list[str]:
    """The task of the lane that each stands in; empty for a lane of all."""
    rows = await conn.fetch(
        "select l.task from unnest($1::uuid[]) with ordinality as u (id, i)"
        " join holdfast.jobs as j using (id) join holdfast.lanes as l using (lane) order by i",
        list(jobs),
    )
    return [row["task"] for row in rows]
