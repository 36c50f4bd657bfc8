"""Access keys for tests: created by the real verb, and called with their secret."""

import hashlib
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
from asyncpg import Record

from holdfast.db.connect import Connection

Scope = list[str] | None
OPEN = "select * from holdfast.open_session($1, $2, $3)"
LINK = "select holdfast.create_login_link($1, $2, $3, 'to look at it', 'Ada')"


def digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


async def a_key(
    conn: Connection,
    role: str = "producer",
    secret: str = "one",
    name: str = "ci",
    queues: Scope = None,
    tasks: Scope = None,
    expires_in: timedelta | None = None,
) -> UUID:
    made: UUID = await conn.fetchval(
        "select holdfast.create_access_key($1, $2, $3, $4, $5, $6, 'why', 'Ada')",
        name, role, digest(secret), queues, tasks, expires_in,
    )  # fmt: skip
    return made


async def check(
    conn: Connection,
    action: str = "enqueue",
    secret: str = "one",
    queues: Scope = None,
    tasks: Scope = None,
    jobs: list[UUID] | None = None,
    runs: list[UUID] | None = None,
    worker: UUID | None = None,
) -> str:
    """The role of the key, or the SQLSTATE with which the call is refused."""
    trial = conn.transaction()
    await trial.start()
    try:
        role: str = await conn.fetchval(
            "select role from holdfast.check_access($1, $2, $3, $4, $5, $6, $7)",
            digest(secret), action, queues, tasks, jobs, runs, worker,
        )  # fmt: skip
    except asyncpg.PostgresError as exc:
        await trial.rollback()
        return exc.sqlstate or ""
    await trial.commit()
    return role


async def a_session(
    conn: Connection, secret: str = "session", by: str = "one", lifetime: timedelta = timedelta(hours=12)
) -> Record:
    """Opened with the secret `by`, of a key or a link."""
    row = await conn.fetchrow(OPEN, digest(by), digest(secret), lifetime)
    assert row is not None
    return row


async def a_link(
    conn: Connection, secret: str = "link", name: str = "ci", lifetime: timedelta = timedelta(minutes=10)
) -> datetime:
    """Until when it is accepted."""
    until: datetime = await conn.fetchval(LINK, name, digest(secret), lifetime)
    return until


async def trail(conn: Connection) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await conn.fetch("select cause, actor, reason from holdfast.events")]
