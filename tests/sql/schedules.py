"""Schedules for the tests of their verbs."""

import json
from datetime import datetime, timedelta
from typing import Any

from asyncpg import Record

from holdfast.db.connect import Connection

HOUR = timedelta(hours=1)


async def a_schedule(conn: Connection, name: str = "hourly", **settings: Any) -> str:
    """One that no worker has checked yet."""
    given = {"task": "report", "every": 3600, **settings}
    await conn.execute("select holdfast.set_schedule($1, $2, 'because', 'Ada')", name, json.dumps(given))
    return name


async def an_active_schedule(conn: Connection, name: str = "hourly", **settings: Any) -> datetime:
    """Its next slot, an hour from now on."""
    await a_schedule(conn, name, **settings)
    counts_from = (await the_schedule(conn, name))["counts_from"]
    slot: datetime = counts_from + HOUR
    assert await conn.fetchval("select holdfast.check_schedule($1, $2, $3)", name, counts_from, slot)
    return slot


async def the_schedule(conn: Connection, name: str = "hourly") -> Record:
    (row,) = await conn.fetch("select * from holdfast.schedule_view where name = $1", name)
    return row


async def fire(
    conn: Connection, slot: datetime, name: str = "hourly", newest: datetime | None = None
) -> tuple[str, Any] | None:
    """The result and the job; the next slot comes an hour later."""
    row = await conn.fetchrow(
        "select * from holdfast.fire_schedule($1, $2, $3, $4)", name, slot, (newest or slot) + HOUR, newest
    )
    return None if row is None else (row["result"], row["job"])


async def due(conn: Connection, most: int = 100) -> list[str]:
    return [row["name"] for row in await conn.fetch("select name from holdfast.due_schedules($1)", most)]
