"""What a worker that leaves when its work is done still waits for."""

import asyncio
from contextlib import suppress
from datetime import timedelta

from holdfast.db.continuations import work_left
from holdfast.db.statement import Executor
from holdfast.db.worker import left_to_drain
from holdfast.model.error import DatabaseUnavailable
from holdfast.model.id import RunId, WorkerId
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.options import WorkerOptions

# What is due as soon as that is waited for, such as a short retry; what is due later is left.
SOON = timedelta(seconds=1)
TELL_EVERY = timedelta(seconds=10)


class Remainder:
    def __init__(self, on: Executor, me: WorkerId, options: WorkerOptions) -> None:
        self._on = on
        self._me = me
        self._options = options

    async def count(self, run: RunId | None) -> int:
        """Jobs that it must not leave yet; in a time box also those that a successor would have to do."""
        box = self._options.box
        if box is None:
            return sum(left.jobs for left in await left_to_drain(self._on, self._me, SOON))
        return await work_left(self._on, self._options.queues, run, box.left_to(1.0))

    async def tell(self) -> None:
        """Never returns: a worker that waits in silence looks as if it hung."""
        while True:
            await asyncio.sleep(TELL_EVERY.total_seconds())
            with suppress(DatabaseUnavailable):  # its owner tells
                if left := await left_to_drain(self._on, self._me, SOON):
                    emit(Event.WORKER_WAITS, worker=self._me, jobs=", ".join(map(str, left)))
