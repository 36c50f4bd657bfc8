"""Access keys for tests: created by the real verb, and called with their secret."""

import hashlib
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg

from holdfast.db.connect import Connection

Scope = list[str] | None


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


async def trail(conn: Connection) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await conn.fetch("select cause, actor, reason from holdfast.events")]
