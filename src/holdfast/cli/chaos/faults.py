"""The faults, by name. Each does its harm once and mends at its end what does not mend itself."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable

from holdfast.cli.crew import Crew
from holdfast.db.connect import Database
from holdfast.embedded import EmbeddedServer

ONE_BACKEND = """
select pg_terminate_backend(pid) from (
  select pid from pg_stat_activity
  where application_name like 'holdfast worker%' or application_name = 'holdfast lease'
  order by random() limit 1
) as one
"""


class Faults:
    """What the nemesis can do to the workers and their database."""

    def __init__(self, crew: Crew, database: Database, server: EmbeddedServer) -> None:
        self._crew = crew
        self._database = database
        self._server = server
        self.by_name: dict[str, Callable[[], Awaitable[None]]] = {
            "kill-worker": self._kill_worker,
            "stop-worker": self._suspend_worker,
            "leave-worker": self._dismiss_worker,
            "cut-connection": self._cut_connection,
            "kill-database": self._kill_database,
        }

    async def _kill_worker(self) -> None:
        self._crew.kill_one()
        self._crew.start()

    async def _suspend_worker(self) -> None:
        """Longer than its lease: it wakes up as a zombie whose writes must all be refused."""
        pid = self._crew.pids[0]
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(5)
        os.kill(pid, signal.SIGCONT)

    async def _dismiss_worker(self) -> None:
        await self._crew.dismiss_one()
        self._crew.start()

    async def _cut_connection(self) -> None:
        await self._database.execute(ONE_BACKEND)

    async def _kill_database(self) -> None:
        """kill -9 of the postmaster; its children follow, and the next start recovers from the log."""
        await asyncio.to_thread(_crash, self._server)
        await asyncio.to_thread(self._server.start)


def _crash(server: EmbeddedServer) -> None:
    pid = server.postmaster_pid
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
    while server.postmaster_pid is not None:
        time.sleep(0.05)
