"""Requests that wait for the end of a job: one statement asks for all, and none holds a connection."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from time import monotonic

from holdfast.api.live.shared_reader import SharedReader, until_rung
from holdfast.client.app import Holdfast
from holdfast.db.jobs import job_states
from holdfast.model.id import JobId

PACE = timedelta(milliseconds=250)
LOOK_UP = 1.0  # seconds, for a server that stops


class AwaitedEnds:
    def __init__(self, app: Holdfast, is_stopping: Callable[[], bool]) -> None:
        self._app, self._is_stopping = app, is_stopping
        self._reader = SharedReader(self._read, PACE)

    async def wait(self, job: JobId, seconds: float) -> None:
        """Until the job has ended or is gone, the time is over, or the server stops."""
        bell, over = asyncio.Event(), monotonic() + seconds
        with self._reader.watch(job, bell) as watch:
            await watch.first()
            while not watch.value and not self._is_stopping() and (left := over - monotonic()) > 0:
                await until_rung(bell, min(left, LOOK_UP))

    async def _read(self, jobs: Sequence[JobId]) -> AsyncIterator[tuple[JobId, bool]]:
        found = await job_states(self._app.database, jobs)
        live = {one.id for one in found if not one.state.is_end}
        for job in jobs:
            yield job, job not in live
