"""Runs maintenance tasks when they are due, one after the other."""

import asyncio
import logging
import random
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from holdfast.db.locks import Holder, holder_of
from holdfast.db.maintenance import record_maintenance
from holdfast.db.statement import Executor
from holdfast.maintenance.maintenance_task import MaintenanceTask
from holdfast.model.error import DatabaseUnavailable, HoldfastError
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

FIRST_NOTE = 2.0
NOTE_EVERY = 20.0
TOLD_AFTER = 3  # rounds: after two of them, a working round has long ended


class Sweeper:
    """A maintenance task that fails, or that another process blocks, is logged once and tried again."""

    def __init__(
        self, on: Executor, maintenance_tasks: Sequence[MaintenanceTask], *, lives_shortly: bool = False
    ) -> None:
        """`lives_shortly`: a worker with a time box, one of many. It begins with none of its maintenance
        tasks at once, and skips some: together these workers run each maintenance task as often as one that
        lives on.
        """
        self._on = on
        self._tasks = {task.name: task for task in maintenance_tasks}
        self._due = {
            task.name: 0.0 if task.at_once and not lives_shortly else _random_start(task)
            for task in maintenance_tasks
        }
        self._done = {task.name: float("-inf") for task in maintenance_tasks}
        self._failing: set[str] = set()
        # The blocking process, and for how many rounds in a row.
        self._held: dict[str, tuple[Holder | None, int]] = {}
        self._hurried = asyncio.Event()
        self._succeeded: set[str] = set()
        self._note_at = monotonic() + FIRST_NOTE

    async def run(self) -> None:
        while True:
            name = min(self._due, key=self._due.__getitem__)
            if (wait := self._due[name] - monotonic()) > 0:
                await self._wait(wait)
            else:
                await self._do(self._tasks[name])

    async def run_once(self) -> dict[str, int]:
        """Runs all of them now; returns how much each did, without those that failed."""
        found = {task.name: await self._do(task) for task in self._tasks.values()}
        return {name: count for name, count in found.items() if count is not None}

    def hurry(self, name: str) -> None:
        """Runs that one soon, but not more often than it allows."""
        soon = max(monotonic(), self._done[name] + self._tasks[name].soonest.total_seconds())
        if soon < self._due[name]:
            self._due[name] = soon
            self._hurried.set()

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._hurried.wait()
        self._hurried.clear()

    async def _do(self, task: MaintenanceTask) -> int | None:
        now = monotonic()
        self._done[task.name] = now
        self._due[task.name] = (
            now + task.every.total_seconds() + random.random() * task.jitter.total_seconds()
        )
        try:
            count = await task.run_once(self._on)
        except Exception as exc:
            self._tell(task.name, exc)
            return None
        self._failing.discard(task.name)
        if count is None:
            await self._miss(task.name)
            return None
        self._held.pop(task.name, None)
        self._succeeded.add(task.name)
        await self._note()
        if task.batch is not None and count >= task.batch:
            self._due[task.name] = monotonic()
        elif task.again is not None and count:
            self._due[task.name] = now + task.again.total_seconds()
        if count:
            emit(Event.MAINTENANCE_DONE, task=task.name, count=count)
        return count

    async def _miss(self, name: str) -> None:
        """Another round is running, so this one is not a success; if the same process blocks it for long,
        logs that.
        """
        self._succeeded.discard(name)
        before, times = self._held.get(name, (None, 0))
        with suppress(HoldfastError):
            holder = await holder_of(self._on, name)
            times = times + 1 if holder == before else 1
            self._held[name] = holder, times
            if holder is not None and times == TOLD_AFTER:
                emit(Event.MAINTENANCE_BLOCKED, task=name, holder=holder)

    async def _note(self) -> None:
        """Only a gauge for monitoring: seldom, and harmless if it fails."""
        if monotonic() < self._note_at:
            return
        self._note_at = monotonic() + NOTE_EVERY
        with suppress(HoldfastError):
            await record_maintenance(self._on, self._succeeded)
            self._succeeded.clear()

    def _tell(self, name: str, exc: Exception) -> None:
        """A lost connection is logged by its owner."""
        gone = isinstance(exc, DatabaseUnavailable)
        is_news = not gone and name not in self._failing
        self._failing.add(name)
        emit(Event.MAINTENANCE_FAILED, None if is_news else logging.DEBUG, task=name, because=exc)


def _random_start(task: MaintenanceTask) -> float:
    return monotonic() + random.random() * task.every.total_seconds()
