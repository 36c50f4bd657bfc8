"""What the database holds before a command is called, and what it holds afterwards."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

import asyncpg
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import dead_job

T = TypeVar("T")


def given(url: str, make: Callable[[Connection], Awaitable[T]]) -> T:
    """For tests without a running event loop, as the command needs them."""

    async def work() -> T:
        conn = await asyncpg.connect(url)
        try:
            return await make(conn)
        finally:
            await conn.close()

    return asyncio.run(work())


def rows(url: str, query: str, *args: object) -> list[Record]:
    return given(url, lambda conn: conn.fetch(query, *args))


def dead_jobs(url: str, count: int, message: str = "it broke", **options: object) -> list[str]:
    """Oldest first."""

    async def make(conn: Connection) -> list[UUID]:
        return [(await dead_job(conn, message, **options)).id for _ in range(count)]

    return [str(job) for job in given(url, make)]


def states(url: str) -> dict[str, str]:
    """Of every job there is."""
    return {str(row["id"]): row["state"] for row in rows(url, "select id, state from holdfast.job_view")}


def trail(url: str, cause: str) -> set[tuple[str, str, str]]:
    """Who did it to which job, and why."""
    query = "select job_id, actor, reason from holdfast.event_view where cause = $1"
    return {(str(row["job_id"]), row["actor"], row["reason"]) for row in rows(url, query, cause)}


async def count_ends(conn: Connection) -> None:
    """As the maintenance task does every few seconds."""
    await conn.execute("select holdfast.summarise_ends()")
