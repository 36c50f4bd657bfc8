"""Whether every worker still works after recovery: each must complete a job in a queue of its own."""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta

from holdfast import Holdfast
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.model.id import JobId
from holdfast.model.payload import encode

TASK = "probe"
DONE = "select id from holdfast.history where id = any($1::uuid[]) and state = 'completed'"
LEASED = """
select pid
from holdfast.workers
where lease_until > holdfast.now()
  and state <> 'stopped'
"""


def register(app: Holdfast) -> None:
    """Called in every worker; no other worker serves this queue."""

    @app.task(name=TASK, queue=queue_of(os.getpid()))
    async def probe() -> int:
        return os.getpid()


def queue_of(pid: int) -> str:
    return f"chaos-probe-{pid}"


async def idle_workers(database: Database, pids: Sequence[int], within: timedelta) -> list[str]:
    """A sentence for each of these processes that is alive but does no work, or holds no lease."""
    asked = {pid: await _ask(database, pid) for pid in pids}
    end = time.monotonic() + within.total_seconds()
    idle, unleased = set(pids), set(pids)
    while (idle or unleased) and time.monotonic() < end:
        await asyncio.sleep(0.1)
        idle = await _not_done(database, asked)
        unleased = set(pids) - {row["pid"] for row in await database.fetch(LEASED)}
    spell = f"{within.total_seconds():g} s after recovery"
    return [f"worker {pid} is alive but has done no work within {spell}" for pid in sorted(idle)] + [
        f"worker {pid} is alive but holds no lease {spell}" for pid in sorted(unleased)
    ]


async def _ask(database: Database, pid: int) -> JobId:
    (stored,) = await enqueue_jobs(database, [TASK], [encode({})], {"queue": queue_of(pid)})
    return stored.id


async def _not_done(database: Database, asked: Mapping[int, JobId]) -> set[int]:
    done = {row["id"] for row in await database.fetch(DONE, list(asked.values()))}
    return {pid for pid, job in asked.items() if job not in done}
