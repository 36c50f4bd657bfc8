"""A chore: something to do again and again, which says how much it found to do."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from holdfast.db.statement import Executor


@dataclass(frozen=True, slots=True)
class Chore:
    """`soonest`: how long after the last time at the earliest, if somebody asks for it before it is due."""

    name: str
    every: timedelta
    work: Callable[[Executor], Awaitable[int]]
    jitter: timedelta = timedelta(0)
    soonest: timedelta = timedelta(milliseconds=200)

    async def run_once(self, on: Executor) -> int:
        return await self.work(on)
