"""The database of a crash test: its jobs, and the questions that tests ask."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import asyncpg
from asyncpg import Record

from holdfast.db.jobs import enqueue_jobs
from holdfast.model.payload import encode
from tests.crash.worker_process import TABLES

VIOLATIONS = """
with two_ends as (
  select id from holdfast.history group by id having count(*) > 1
), ended_and_live as (
  select id from holdfast.history as h join holdfast.jobs as j using (id)
), effect_twice as (
  select job from effects group by job having count(*) > 1
), effect_of_a_loser as (
  select job from effects as e join holdfast.history as h on h.id = e.job where h.attempt <> e.attempt
), attempt_twice as (
  select job from calls group by job, attempt having count(*) > 1
)
select
  (select count(*) from two_ends) as two_ends,
  (select count(*) from ended_and_live) as ended_and_live,
  (select count(*) from effect_twice) as effect_twice,
  (select count(*) from effect_of_a_loser) as effect_of_a_loser,
  (select count(*) from attempt_twice) as attempt_twice
"""


class World:
    def __init__(self, conn: "asyncpg.Connection[Record]") -> None:
        self.conn = conn

    async def enqueue(self, task: str, *payloads: dict[str, Any], **options: Any) -> list[UUID]:
        made = await enqueue_jobs(self.conn, [task], [encode(payload) for payload in payloads], options)
        return [one.id for one in made]

    async def counts(self) -> dict[str, int]:
        rows = await self.conn.fetch("select state, count(*) as n from holdfast.job_view group by state")
        return {row["state"]: row["n"] for row in rows}

    async def job(self, job: UUID) -> dict[str, Any]:
        row = dict(await self.conn.fetchrow("select * from holdfast.job_view where id = $1", job) or {})
        row["output"] = None if row.get("output") is None else json.loads(row["output"])
        return row

    async def calls(self) -> int:
        found: int = await self.conn.fetchval("select count(*) from calls")
        return found

    async def workers(self) -> list[str]:
        rows = await self.conn.fetch("select state from holdfast.workers order by started_at")
        return [row["state"] for row in rows]

    async def violations(self) -> dict[str, int]:
        """What must never be, whatever happened: each count is of jobs."""
        row = await self.conn.fetchrow(VIOLATIONS)
        assert row is not None
        return {name: count for name, count in row.items() if count}

    def reaches(self, **wanted: int) -> Callable[[], Awaitable[bool]]:
        async def is_so() -> bool:
            return await self.counts() == wanted

        return is_so

    def has_calls(self, count: int) -> Callable[[], Awaitable[bool]]:
        async def is_so() -> bool:
            return await self.calls() >= count

        return is_so


@asynccontextmanager
async def world(url: str) -> AsyncIterator[World]:
    conn = await asyncpg.connect(url)
    try:
        await conn.execute(TABLES)
        yield World(conn)
    finally:
        await conn.close(timeout=5)
