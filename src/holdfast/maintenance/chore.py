"""A chore: something to do again and again, which says how much it found to do."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from holdfast.db.statement import Executor


@dataclass(frozen=True, slots=True)
class Chore:
    """`work`: returns how much it did, or None if it did not run: another round was at it.
    `soonest`: how long after the last time at the earliest, if somebody asks for it before it is due.
    `batch`: so many found mean that there is more, and the chore is done again at once.
    `again`: as long as it finds anything, it is done again after this time.
    `at_once`: a worker begins with it, because somebody may wait for what it does. Others are spread over the
    time that follows: a worker is often started because much is to be done.
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
