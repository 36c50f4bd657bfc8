"""The new worker, started by the script as people start it, and stopped as they stop it."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast import HoldfastError
from holdfast.db.connect import Database

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LOOK_EVERY = 0.1
AT_WORK = "select count(*) as workers from holdfast.worker_view where stopped_at is null"


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
        with self._log.open("ab") as log:
            command = [HERE / "start-new-worker.sh", share]
            process = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=log, stderr=log)
            try:
                await self._until_at_work(process)
                yield
            finally:
                process.send_signal(signal.SIGTERM)
                await asyncio.to_thread(process.wait)

    async def _until_at_work(self, process: "subprocess.Popen[bytes]") -> None:
        while not (await self._database.fetch(AT_WORK))[0]["workers"]:
            if process.poll() is not None:
                raise HoldfastError(f"The new worker did not start: {self._log.read_text()}")
            await asyncio.sleep(LOOK_EVERY)

    async def switch_back(self) -> None:
        with self._log.open("ab") as log:
            await asyncio.to_thread(
                subprocess.run,
                [HERE / "switch-back.sh"],
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=log,
                check=True,
            )
