"""Worker processes for crash tests: started, signalled and awaited with a bound."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]


class WorkerProcess:
    def __init__(self, url: str, failpoints: str = "", **options: Any) -> None:
        environment = {
            **os.environ,
            "HOLDFAST_DATABASE_URL": url,
            "HOLDFAST_FAILPOINTS": failpoints,
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
        }
        module = "tests.crash.wrong_clock" if "clock_shift" in options else "tests.crash.worker_process"
        command = [sys.executable, "-m", module, json.dumps({"sweep": 0.3, **options})]
        self._output: str | None = None
        self._errors = ""
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    async def ended(self) -> tuple[int, dict[str, int]]:
        """Its exit code, and its report if it left by itself."""
        await until(self._is_over)
        out = self._read()
        self.assert_not_failed()
        return self._process.returncode, json.loads(out) if out else {}

    async def _is_over(self) -> bool:
        return self.has_ended

    def destroy(self) -> None:
        if not self.has_ended:
            self._process.kill()
        self._read()

    def assert_not_failed(self) -> None:
        """One that breaks by itself is no part of any test, and the reason why the test waits in vain."""
        assert self._process.returncode <= 0, f"the worker failed: {self._errors}"

    def _read(self) -> str:
        if self._output is None:
            self._output, self._errors = self._process.communicate()
        return self._output


@asynccontextmanager
async def processes() -> AsyncIterator[Callable[..., WorkerProcess]]:
    """Starts workers; none outlives the block."""
    started: list[WorkerProcess] = []

    def start(url: str, failpoints: str = "", **options: Any) -> WorkerProcess:
        started.append(WorkerProcess(url, failpoints, **options))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.destroy()
    for process in started:
        process.assert_not_failed()


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
