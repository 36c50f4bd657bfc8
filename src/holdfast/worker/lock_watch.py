"""Logs the locks that a worker's statements wait for, and their holders."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from time import monotonic

from holdfast.db.connect import connect
from holdfast.db.database_errors import translated
from holdfast.db.locks import LockWait, lock_waits
from holdfast.model.error import HoldfastError
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.own_task import OwnTask, end_all
from holdfast.worker.worker_connection import WorkerConnection

LOOK_EVERY = 0.5
PATIENCE = 1.0


@asynccontextmanager
async def locks_watched(connections: Sequence[WorkerConnection]) -> AsyncIterator[None]:
    watch = OwnTask(LockWatch(connections).run())
    try:
        yield
    finally:
        await end_all([watch])


class LockWatch:
    """Asks the server only while a statement takes long, on a separate connection: the others may all wait.

    Each statement is logged once. If a statement is slow without waiting for a lock, the interval doubles, to
    spare a busy server.
    """

    def __init__(self, connections: Sequence[WorkerConnection]) -> None:
        self._connections = connections
        # For each connection: when its statement was sent, and when to check it next.
        self._look_at: dict[WorkerConnection, tuple[float, float]] = {}

    async def run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if slow := [one for one in self._connections if self._is_due(one, monotonic())]:
                with suppress(HoldfastError):  # the connections themselves report an unreachable server
                    await self._look(slow)

    def _is_due(self, connection: WorkerConnection, now: float) -> bool:
        """Reads only numbers, because the lease's connection belongs to another thread."""
        since = connection.sent_at
        if since is None or now - since < PATIENCE:
            return False
        seen, look_at = self._look_at.get(connection, (since, now))
        if seen == since and now < look_at:
            return False
        self._look_at[connection] = since, now + (now - since)
        return True

    async def _look(self, slow: list[WorkerConnection]) -> None:
        pids = [connection.pid for connection in slow if connection.pid is not None]
        pooled = [connection.application for connection in slow if connection.pid is None]
        own = await connect(self._connections[0].address, "holdfast watch")
        try:
            with translated():
                found = await lock_waits(own, pids, pooled)
        finally:
            own.terminate()
        for connection in slow:
            self._tell(connection, [wait for wait in found if _is_of(wait, connection)])

    def _tell(self, connection: WorkerConnection, waits: list[LockWait]) -> None:
        since = connection.sent_at
        if not waits or since is None:
            return
        self._look_at[connection] = since, float("inf")
        holder = ", ".join(str(wait.holder) for wait in waits)
        seconds = round(monotonic() - since, 1)
        emit(Event.LOCK_WAITS, name=connection.name, seconds=seconds, holder=holder)


def _is_of(wait: LockWait, connection: WorkerConnection) -> bool:
    if connection.pid is None:
        return wait.application == connection.application
    return wait.pid == connection.pid
