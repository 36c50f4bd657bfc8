"""What a worker says of queues, tasks, pipelines and endpoints at its start, without waiting for anybody."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta

from holdfast.db.connect import Connection, Database
from holdfast.db.locks import Holder, lock_waits
from holdfast.db.statement import Declare, Executor, fetch_value
from holdfast.maintenance.chore import Chore
from holdfast.model.error import Timeout
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event

# Longer than another worker takes that starts at the same time. Less than deadlock_timeout: in a deadlock
# with a producer this side gives way.
FIRST = timedelta(milliseconds=500)
LATER = timedelta(milliseconds=50)
AGAIN = timedelta(seconds=1)
LOOK_EVERY = 0.05

BRIEFLY = "select pg_backend_pid() from set_config('lock_timeout', $1, true)"


class Declarations:
    """A producer's open transaction that names a queue or endpoint for the first time holds it until its end.

    What is held is put off, and sent again and again; the rest holds before the worker claims anything.
    """

    def __init__(self, database: Database, said: Mapping[str, Declare]) -> None:
        self._database = database
        self._left = dict(said)
        self._holder: Holder | None = None

    async def send(self) -> None:
        """All at once, which is how it nearly always goes; else what can be."""
        try:
            async with self._briefly(FIRST) as conn:
                await _send(conn, self._left.values())
            self._left.clear()
        except Timeout:
            await self.send_again()
        if self._left:
            what = ", ".join(self._left)
            emit(Event.DECLARATION_PUT_OFF, logging.WARNING, what=what, holder=self._holder)

    def chores(self) -> list[Chore]:
        """None, unless something was put off."""
        return [Chore("declare", AGAIN, self.send_again)] if self._left else []

    async def send_again(self, _: Executor | None = None) -> int:
        """What was put off, each in a transaction of its own. Returns how many could be sent."""
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
        """A transaction that waits no longer than that for any lock."""
        async with self._database.transaction() as conn:
            milliseconds = str(int(patience.total_seconds() * 1000))
            pid = await fetch_value(conn, BRIEFLY, milliseconds)
            look = asyncio.create_task(self._look(pid))
            try:
                yield conn
            finally:
                look.cancel()
                await asyncio.gather(look, return_exceptions=True)

    async def _look(self, pid: int) -> None:
        """Who keeps that process waiting: once it has given up, nobody can tell."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            for wait in await lock_waits(self._database, [pid], []):
                self._holder = wait.holder


async def _send(conn: Connection, declarations: Iterable[Declare]) -> None:
    for declare in declarations:
        await declare(conn)
