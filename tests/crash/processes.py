"""Worker processes for crash tests: started, signalled and awaited with a bound."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from holdfast.testing import supervisor
from holdfast.testing.supervisor import Supervisor
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

PYTHON = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
RESTART = timedelta(seconds=0.2)


class WorkerProcess:
    """A worker of `tests.crash.worker_process`, which prints a report when it exits by itself."""

    def __init__(self, process: supervisor.WorkerProcess) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        self._process.signal(number)

    @property
    def has_ended(self) -> bool:
        return self._process.exit_code is not None

    async def ended(self) -> tuple[int, dict[str, int]]:
        """Its exit code, and its report if it exited by itself."""
        await until(self._is_over)
        self.assert_not_failed()
        out = self._process.output
        return self._process.exit_code or 0, json.loads(out) if out else {}

    async def _is_over(self) -> bool:
        return self.has_ended

    def assert_not_failed(self) -> None:
        """A worker that fails by itself is no part of any test, and the reason why the test waits in vain."""
        assert (self._process.exit_code or 0) <= 0, f"the worker failed: {self._process.log}"


@asynccontextmanager
async def processes() -> AsyncIterator[Callable[..., WorkerProcess]]:
    """Starts workers, and kills those that run when the block ends."""
    started: list[WorkerProcess] = []

    def start(url: str, failpoints: str = "", **options: Any) -> WorkerProcess:
        module = "tests.crash.wrong_clock" if "clock_shift" in options else "tests.crash.worker_process"
        environment = {"HOLDFAST_DATABASE_URL": url, "HOLDFAST_FAILPOINTS": failpoints}
        process = workers.start(module, json.dumps({"sweep": 0.3, **options}), environment=environment)
        started.append(WorkerProcess(process))
        return started[-1]

    with TemporaryDirectory(prefix="hf-") as logs:
        async with Supervisor((), PYTHON, Path(logs), cwd=ROOT) as workers:
            try:
                yield start
            finally:
                for pid in workers.pids:
                    workers.kill(pid)
        for process in started:
            process.assert_not_failed()


@asynccontextmanager
async def service(url: str, *module: str) -> AsyncIterator[None]:
    """A worker under a service manager: started again when it exits, and stopped when the block ends."""
    environment = {"HOLDFAST_DATABASE_URL": url, **PYTHON}
    with TemporaryDirectory(prefix="hf-") as logs:
        async with Supervisor(
            module, environment, Path(logs), cwd=ROOT, shutdown=timedelta(seconds=PATIENCE)
        ) as manager:
            manager.start()
            keeping = asyncio.create_task(manager.keep_running(RESTART))
            try:
                yield
            finally:
                keeping.cancel()
                await asyncio.gather(keeping, return_exceptions=True)
        assert manager.unresponsive == 0


async def until(condition: Callable[[], Awaitable[Any]]) -> Any:
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await condition()
            if answer:
                return answer
            await asyncio.sleep(0.02)


def lives(pid: int) -> bool:
    """And is no zombie for which nobody has waited yet."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
