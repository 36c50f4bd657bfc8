"""Does chores when they are due, one after the other, for as long as it lives."""

import asyncio
import logging
import random
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from holdfast.db.statement import Executor
from holdfast.maintenance.chore import Chore
from holdfast.model.error import DatabaseError, DatabaseUnavailable
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event


class Sweeper:
    """A chore that fails is told of once, and tried again each time that it is due."""

    def __init__(self, on: Executor, chores: Sequence[Chore]) -> None:
        self._on = on
        self._chores = {chore.name: chore for chore in chores}
        self._due = {chore.name: 0.0 for chore in chores}
        self._done = {chore.name: float("-inf") for chore in chores}
        self._failing: set[str] = set()
        self._hurried = asyncio.Event()

    async def run(self) -> None:
        while True:
            name = min(self._due, key=self._due.__getitem__)
            if (wait := self._due[name] - monotonic()) > 0:
                await self._wait(wait)
            else:
                await self._do(self._chores[name])

    async def run_once(self) -> dict[str, int]:
        """Do all of them now; what each found to do, without those that failed."""
        found = {chore.name: await self._do(chore) for chore in self._chores.values()}
        return {name: count for name, count in found.items() if count is not None}

    def hurry(self, name: str) -> None:
        """Do that one soon, but not more often than it allows."""
        soon = max(monotonic(), self._done[name] + self._chores[name].soonest.total_seconds())
        if soon < self._due[name]:
            self._due[name] = soon
            self._hurried.set()

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._hurried.wait()
        self._hurried.clear()

    async def _do(self, chore: Chore) -> int | None:
        now = monotonic()
        self._done[chore.name] = now
        self._due[chore.name] = (
            now + chore.every.total_seconds() + random.random() * chore.jitter.total_seconds()
        )
        try:
            count = await chore.run_once(self._on)
        except Exception as exc:
            self._tell(chore.name, exc)
            return None
        self._failing.discard(chore.name)
        if chore.batch is not None and count >= chore.batch:
            self._due[chore.name] = monotonic()
        if count:
            emit(Event.CHORE_DONE, logging.DEBUG, chore=chore.name, count=count)
        return count

    def _tell(self, name: str, exc: Exception) -> None:
        """Of a lost connection its owner tells."""
        gone = isinstance(exc, DatabaseUnavailable) and not isinstance(exc, DatabaseError)
        is_news = not gone and name not in self._failing
        self._failing.add(name)
        emit(Event.CHORE_FAILED, logging.WARNING if is_news else logging.DEBUG, chore=name, because=exc)
