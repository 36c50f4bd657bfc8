"""The settings of queues, tasks, pipelines and endpoints that a worker sends at its start."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta

from holdfast.db.connect import Connection, Database
from holdfast.db.locks import Holder, limit_lock_waits, lock_waits
from holdfast.db.statement import Declare, Executor
from holdfast.maintenance.maintenance_task import MaintenanceTask
from holdfast.model.error import Timeout
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

# Longer than another worker needs that starts at the same time. Shorter than deadlock_timeout: in a deadlock
# with a producer the worker gives way.
FIRST = timedelta(milliseconds=500)
LATER = timedelta(milliseconds=50)
AGAIN = timedelta(seconds=1)
LOOK_EVERY = 0.05


class Declarations:
    """A producer's open transaction that creates a queue or endpoint locks it until it ends.

    A locked declaration is deferred and sent again later; the others apply before the worker claims anything.
    """

    def __init__(self, database: Database, said: Mapping[str, Declare]) -> None:
        self._database = database
        self._left = dict(said)
        self._holder: Holder | None = None

    async def send(self) -> None:
        """All in one transaction, which nearly always succeeds; else one by one."""
        try:
            async with self._briefly(FIRST) as conn:
                await _send(conn, self._left.values())
            self._left.clear()
        except Timeout:
            await self.send_again()
        if self._left:
            what = ", ".join(self._left)
            emit(Event.DECLARATION_DEFERRED, what=what, holder=self._holder)

    def maintenance_tasks(self) -> list[MaintenanceTask]:
        """None, unless something was deferred."""
        return [MaintenanceTask("declare", AGAIN, self.send_again)] if self._left else []

    async def send_again(self, _: Executor | None = None) -> int:
        """Sends each deferred declaration in its own transaction. Returns how many succeeded."""
        before = len(self._left)
        for what, declare in list(self._left.items()):
            try:
                async with self._briefly(LATER) as conn:
                    await declare(conn)
            except Timeout:
                continue
            del self._left[what]
        return before - len(self._left)

    @asynccontextmanager
    async def _briefly(self, patience: timedelta) -> AsyncIterator[Connection]:
        """A transaction that waits no longer than this for any lock."""
        async with self._database.transaction() as conn:
            pid = await limit_lock_waits(conn, patience)
            look = asyncio.create_task(self._look(pid))
            try:
                yield conn
            finally:
                look.cancel()
                await asyncio.gather(look, return_exceptions=True)

    async def _look(self, pid: int) -> None:
        """The process that holds the lock; it can be found only while the statement still waits."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            for wait in await lock_waits(self._database, [pid], []):
                self._holder = wait.holder


async def _send(conn: Connection, declarations: Iterable[Declare]) -> None:
    for declare in declarations:
        await declare(conn)
