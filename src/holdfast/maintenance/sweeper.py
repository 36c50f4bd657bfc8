"""Does chores when they are due, one after the other, for as long as it lives."""

import asyncio
import logging
import random
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from holdfast.db.chores import note_chores
from holdfast.db.locks import Holder, holder_of
from holdfast.db.statement import Executor
from holdfast.maintenance.chore import Chore
from holdfast.model.error import DatabaseUnavailable, HoldfastError
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event

FIRST_NOTE = 2.0
NOTE_EVERY = 20.0
TOLD_AFTER = 3  # rounds: two of them apart, a round that works has long ended


class Sweeper:
    """A chore that fails, or that somebody keeps from being done, is told of once, and tried again."""

    def __init__(self, on: Executor, chores: Sequence[Chore], *, lives_shortly: bool = False) -> None:
        """`lives_shortly`: one of many that follow each other. It begins with none of its chores at once, and
        does some not at all: together they do each as often as one that lives on.
        """
        self._on = on
        self._chores = {chore.name: chore for chore in chores}
        self._due = {
            chore.name: 0.0 if chore.at_once and not lives_shortly else _random_start(chore)
            for chore in chores
        }
        self._done = {chore.name: float("-inf") for chore in chores}
        self._failing: set[str] = set()
        self._held: dict[str, tuple[Holder | None, int]] = {}  # by whom, and for how many rounds in a row
        self._hurried = asyncio.Event()
        self._succeeded: set[str] = set()
        self._note_at = monotonic() + FIRST_NOTE

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
        if count is None:
            await self._miss(chore.name)
            return None
        self._held.pop(chore.name, None)
        self._succeeded.add(chore.name)
        await self._note()
        if chore.batch is not None and count >= chore.batch:
            self._due[chore.name] = monotonic()
        elif chore.again is not None and count:
            self._due[chore.name] = now + chore.again.total_seconds()
        if count:
            emit(Event.CHORE_DONE, logging.DEBUG, chore=chore.name, count=count)
        return count

    async def _miss(self, name: str) -> None:
        """Another round is at it, which is no success of this one; if it is the same for long, tell."""
        self._succeeded.discard(name)
        before, times = self._held.get(name, (None, 0))
        with suppress(HoldfastError):
            holder = await holder_of(self._on, name)
            times = times + 1 if holder == before else 1
            self._held[name] = holder, times
            if holder is not None and times == TOLD_AFTER:
                emit(Event.CHORE_HELD, logging.WARNING, chore=name, holder=holder)

    async def _note(self) -> None:
        """Only a gauge, for who looks whether chores are done: seldom, and no harm if it fails."""
        if monotonic() < self._note_at:
            return
        self._note_at = monotonic() + NOTE_EVERY
        with suppress(HoldfastError):
            await note_chores(self._on, self._succeeded)
            self._succeeded.clear()

    def _tell(self, name: str, exc: Exception) -> None:
        """Of a lost connection its owner tells."""
        gone = isinstance(exc, DatabaseUnavailable)
        is_news = not gone and name not in self._failing
        self._failing.add(name)
        emit(Event.CHORE_FAILED, logging.WARNING if is_news else logging.DEBUG, chore=name, because=exc)


def _random_start(chore: Chore) -> float:
    return monotonic() + random.random() * chore.every.total_seconds()
