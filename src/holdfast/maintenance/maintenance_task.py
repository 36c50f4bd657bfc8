"""A maintenance task: a periodic function that returns how much it did."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from holdfast.db.statement import Executor


@dataclass(frozen=True, slots=True)
class MaintenanceTask:
    """`work`: returns how much it did, or None if another round was running.
    `soonest`: the shortest interval, if it is requested before it is due.
    `batch`: if it did this much there may be more, and it runs again at once.
    `again`: as long as it finds anything, it runs again after this time.
    `at_once`: a new worker begins with it, because jobs may wait for it. The others are spread over the time
    that follows: a worker is often started because there is much to do.
    """

    name: str
    every: timedelta
    work: Callable[[Executor], Awaitable[int | None]]
    jitter: timedelta = timedelta(0)
    soonest: timedelta = timedelta(milliseconds=200)
    batch: int | None = None
    again: timedelta | None = None
    at_once: bool = False

    async def run_once(self, on: Executor) -> int | None:
        return await self.work(on)
