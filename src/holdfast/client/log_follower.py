"""Follows the log of a job's handler until the job has ended."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from time import monotonic

from holdfast.db import jobs, logs
from holdfast.db.statement import Executor
from holdfast.model.error import NotFound
from holdfast.model.handler_log import LogLine
from holdfast.model.id import JobId

PAUSE = timedelta(milliseconds=500)
# A worker sends the last lines of an attempt up to a second after its end.
LAST_LINES = timedelta(seconds=3)


async def follow_logs(
    on: Executor, job: JobId, attempt: int | None = None, linger: timedelta = LAST_LINES
) -> AsyncIterator[LogLine]:
    """The lines that are stored, then each new one. `linger`: how long to wait for lines after the end."""
    known: set[int] = set()
    ended_at: float | None = None
    while True:
        found = await jobs.get_job(on, job)
        if found is None:
            raise NotFound(f"There is no job {job}.")
        ended_at = (ended_at or monotonic()) if found.is_ended else None
        for line in await logs.list_lines(on, job, attempt, known):
            known.add(line.part)
            yield line
        if ended_at is not None and monotonic() - ended_at >= linger.total_seconds():
            return
        await asyncio.sleep(PAUSE.total_seconds())
