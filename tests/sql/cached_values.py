"""Cached values as the verbs give and take them."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import Running

TAKE = "select * from holdfast.take_cached_value($1, $2, $3, $4, $5)"
SAVE = "select holdfast.save_cached_value($1, $2, $3, $4, $5, $6, $7)"
FREE = "select holdfast.free_cached_value($1, $2, $3)"

HOUR = timedelta(hours=1)
WAIT = timedelta(minutes=5)


async def take(conn: Connection, job: Running, key: str = "k", scope: str = "s") -> Record:
    row = await conn.fetchrow(TAKE, job.id, job.token, scope, key, WAIT)
    assert row is not None
    return row


async def save(conn: Connection, job: Running, writer: UUID, value: Any = "[1]") -> bool:
    return bool(await conn.fetchval(SAVE, job.id, job.token, "s", "k", writer, value, HOUR))
