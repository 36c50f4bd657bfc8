"""The new worker, started by the script as people start it, and stopped as they stop it."""

import asyncio
import os
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast import HoldfastError
from holdfast.db.connect import Database

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LOOK_EVERY = 0.1
AT_WORK = """
select count(*) as workers from holdfast.worker_view where stopped_at is null and 'answers' = any (queues)
"""


class Scripts:
    """The two scripts of this folder, on one database."""

    def __init__(self, database: Database, log: Path) -> None:
        self._database, self._log = database, log
        self._environment = {
            **os.environ,
            "HOLDFAST_DATABASE_URL": database.address.url or "",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        }

    @asynccontextmanager
    async def new_worker(self, share: str) -> AsyncIterator[None]:
        """At work when the block begins; at its end it finishes what it runs."""
        process = await self._start("start-new-worker.sh", share)
        try:
            await self._until_at_work(process)
            yield
        finally:
            process.terminate()
            await process.wait()

    async def switch_back(self) -> None:
        process = await self._start("switch-back.sh")
        if await process.wait():
            raise HoldfastError(f"switch-back.sh failed: {self._log.read_text()}")

    async def _start(self, script: str, *arguments: str) -> Process:
        with self._log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                str(HERE / script), *arguments, cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )

    async def _until_at_work(self, process: Process) -> None:
        while not (await self._database.fetch(AT_WORK))[0]["workers"]:
            if process.returncode is not None:
                raise HoldfastError(f"The new worker did not start: {self._log.read_text()}")
            await asyncio.sleep(LOOK_EVERY)
