"""A worker under a service manager: started again whenever it ends, until the test is over."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.patience import PATIENCE
from tests.repo.tree import ROOT

REST = 0.2


class Service:
    def __init__(self, url: str, *command: str) -> None:
        self._command = [sys.executable, "-m", *command]
        self._environment = {
            **os.environ,
            "HOLDFAST_DATABASE_URL": url,
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
        }
        self._process: asyncio.subprocess.Process | None = None

    async def run(self) -> None:
        while True:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, cwd=ROOT, env=self._environment, stderr=subprocess.DEVNULL
            )
            await self._process.wait()
            await asyncio.sleep(REST)

    async def stop(self) -> None:
        """In an orderly way, so that it ends its own children."""
        if self._process is None or self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
            raise


@asynccontextmanager
async def service(url: str, *command: str) -> AsyncIterator[Service]:
    """`command`: a module and its arguments."""
    made = Service(url, *command)
    running = asyncio.create_task(made.run())
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await made.stop()
