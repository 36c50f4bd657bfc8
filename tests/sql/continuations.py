"""Workers that follow each other, made by the real verbs."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_worker, to_json


async def a_boxed_worker(conn: Connection, **info: Any) -> UUID:
    """One that owes a successor."""
    return await a_worker(conn, **{"time_box": 25, "continues": True, **info})


async def ask(conn: Connection, worker: UUID, **info: Any) -> Record:
    row = await conn.fetchrow("select * from holdfast.request_continuation($1, $2)", worker, to_json(info))
    assert row is not None
    return row


async def an_asked_continuation(conn: Connection, **info: Any) -> UUID:
    """There must be work for it."""
    row = await ask(conn, await a_boxed_worker(conn), **info)
    found: UUID = row["continuation"]
    assert found is not None
    return found


async def take(conn: Connection, continuation: UUID, worker: UUID | None = None, **info: Any) -> Record:
    row = await conn.fetchrow(
        "select * from holdfast.take_continuation($1, $2, $3, $4)",
        continuation,
        worker or uuid4(),
        ["default"],
        to_json({"time_box": 25, "continues": True, **info}),
    )
    assert row is not None
    return row


async def look(conn: Connection, patience: timedelta = timedelta(seconds=30), **options: Any) -> list[Any]:
    """What whoever looks is told to start."""
    rows = await conn.fetch(
        "select b from holdfast.lost_continuations($1, $2, $3) as b",
        options.get("queues"),
        options.get("group"),
        patience,
    )
    return [json.loads(row["b"]) for row in rows]


async def the_continuation(conn: Connection, continuation: UUID) -> Record:
    (row,) = await conn.fetch("select * from holdfast.continuation_view where id = $1", continuation)
    return row
