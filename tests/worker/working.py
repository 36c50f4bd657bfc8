"""A worker beside a test, and waiting with a bound."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from holdfast.client.app import Holdfast
from holdfast.client.job_handle import JobHandle
from holdfast.model.job import Job
from holdfast.model.state import State
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE

SHORT = timedelta(milliseconds=200)


@asynccontextmanager
async def working(app: Holdfast, *queues: str, **options: Any) -> AsyncIterator[Worker]:
    """A worker that runs during the block; afterwards it is told twice to leave."""
    worker = Worker(app, list(queues) or ["default"], **{"sweep": SHORT, **options})
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        worker.stop()
        async with asyncio.timeout(PATIENCE):
            await task


async def until(condition: Callable[[], Awaitable[Any]]) -> Any:
    """Asks again and again until the answer is true; returns it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await condition()
            if answer:
                return answer
            await asyncio.sleep(0.01)


async def ended(handle: JobHandle[Any]) -> Job:
    """The job, once it has ended."""

    async def in_end() -> Job | None:
        job = await handle.job()
        return job if job.is_ended else None

    job: Job = await until(in_end)
    return job


def in_state(handle: JobHandle[Any], state: State) -> Callable[[], Awaitable[bool]]:
    async def is_so() -> bool:
        return await handle.status() is state

    return is_so


async def attempts_of(app: Holdfast, job: UUID) -> list[tuple[str, str | None]]:
    """Outcome and class of each recorded attempt, oldest first."""
    rows = await app.database.fetch(
        "select outcome, class from holdfast.attempt_view where job_id = $1 order by attempt", job
    )
    return [(row["outcome"], row["class"]) for row in rows]


async def counts(app: Holdfast) -> dict[str, int]:
    """The number of jobs by state."""
    rows = await app.database.fetch("select state, count(*) as n from holdfast.job_view group by state")
    return {row["state"]: row["n"] for row in rows}
