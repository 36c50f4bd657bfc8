"""The jobs that a draining worker still waits for."""

import asyncio
from contextlib import suppress
from datetime import timedelta

from holdfast.db.continuations import work_left
from holdfast.db.worker import left_to_drain
from holdfast.model.error import HoldfastError
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.worker_state import WorkerState

# A job that is due this soon is waited for, such as a short retry; a later one is left.
SOON = timedelta(seconds=1)
TELL_EVERY = timedelta(seconds=10)


async def count_remaining(worker: WorkerState) -> int:
    """Jobs that it must wait for; in a time box also those that are left for a successor."""
    options = worker.options
    if options.box is None:
        return sum(left.jobs for left in await left_to_drain(worker.side, worker.me, SOON))
    return await work_left(worker.side, options.queues, worker.succession.run, options.box.left_to(1.0))


async def log_remaining(worker: WorkerState) -> None:
    """Never returns. Logs what the worker waits for, because a silent worker looks as if it hung."""
    while True:
        await asyncio.sleep(TELL_EVERY.total_seconds())
        with suppress(HoldfastError):  # also a timeout of the server; it is asked again
            if left := await left_to_drain(worker.side, worker.me, SOON):
                emit(Event.WORKER_WAITS, worker=worker.me, jobs=", ".join(map(str, left)))
