"""Tells of locks that a worker's statements wait for, and of who holds them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from time import monotonic

from holdfast.db.connect import connect
from holdfast.db.errors import translated
from holdfast.db.locks import LockWait, lock_waits
from holdfast.model.error import HoldfastError
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.line import Line
from holdfast.worker.own_task import OwnTask, end_all

LOOK_EVERY = 0.5
PATIENCE = 1.0


@asynccontextmanager
async def locks_watched(lines: Sequence[Line]) -> AsyncIterator[None]:
    watch = OwnTask(LockWatch(lines).run())
    try:
        yield
    finally:
        await end_all([watch])


class LockWatch:
    """Asks the server only while a statement takes long, on a connection of its own: the others may all wait.

    Each statement is told of once. One that is slow without waiting for a lock is looked at again after twice
    as long as before: a server that is busy has enough to do.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        # Of each line: when its statement was sent, and when to look at it next.
        self._look_at: dict[Line, tuple[float, float]] = {}

    async def run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if slow := [line for line in self._lines if self._is_due(line, monotonic())]:
                with suppress(HoldfastError):  # of a server that is away the lines tell
                    await self._look(slow)

    def _is_due(self, line: Line, now: float) -> bool:
        """Also for the lease's line, which belongs to another thread: numbers only."""
        since = line.sent_at
        if since is None or now - since < PATIENCE:
            return False
        seen, look_at = self._look_at.get(line, (since, now))
        if seen == since and now < look_at:
            return False
        self._look_at[line] = since, now + (now - since)
        return True

    async def _look(self, slow: list[Line]) -> None:
        pids = [line.pid for line in slow if line.pid is not None]
        pooled = [line.application for line in slow if line.pid is None]
        connection = await connect(self._lines[0].address, "holdfast watch")
        try:
            with translated():
                found = await lock_waits(connection, pids, pooled)
        finally:
            connection.terminate()
        for line in slow:
            self._tell(line, [wait for wait in found if _is_of(wait, line)])

    def _tell(self, line: Line, waits: list[LockWait]) -> None:
        since = line.sent_at
        if not waits or since is None:
            return
        self._look_at[line] = since, float("inf")
        holder = ", ".join(str(wait.holder) for wait in waits)
        seconds = round(monotonic() - since, 1)
        emit(Event.LOCK_WAITS, logging.WARNING, name=line.name, seconds=seconds, holder=holder)


def _is_of(wait: LockWait, line: Line) -> bool:
    return wait.application == line.application if line.pid is None else wait.pid == line.pid
