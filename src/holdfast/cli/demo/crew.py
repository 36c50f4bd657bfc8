"""The demo's workers: real processes, one of which is killed."""

import asyncio
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from holdfast.cli.demo.app import MODEL_URL, QUEUE
from holdfast.model.error import HoldfastError

APP = "holdfast.cli.demo.app:app"
# Short, so that nobody has to wait for the rescue; 30 s is the default.
LEASE = "3s"
SWEEP = "1s"
SLOTS = 2
GOODBYE = timedelta(seconds=10)


class Crew:
    """They stay in this process's group, so that a closed terminal takes them along."""

    def __init__(self, database_url: str, model_url: str, logs: Path) -> None:
        self._environment = {**os.environ, "HOLDFAST_DATABASE_URL": database_url, MODEL_URL: model_url}
        self._logs = logs
        self._workers: list[subprocess.Popen[bytes]] = []
        self.started = 0
        self.killed = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            await asyncio.to_thread(_see_off, worker)

    def start(self) -> int:
        """A new worker; returns its process id."""
        self.started += 1
        command = [sys.executable, "-m", "holdfast", "worker", "-A", APP, "--queues", QUEUE]
        command += ["--slots", str(SLOTS), "--lease", LEASE, "--sweep", SWEEP, "--grace", "2s"]
        with self._log(self.started).open("wb") as log:
            worker = subprocess.Popen(
                command, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._workers.append(worker)
        return worker.pid

    def kill_one(self) -> int:
        """kill -9, the way the kernel does it when memory runs out; returns the process id."""
        worker = self._workers.pop(0)
        worker.kill()
        worker.wait()
        self.killed += 1
        return worker.pid

    def check(self) -> None:
        """Raises if a worker has left by itself."""
        for worker in self._workers:
            if worker.poll() is not None:
                raise HoldfastError(
                    f"A worker of the demo left with exit code {worker.returncode}: {self._last_words()}",
                    "run the demo with --keep and look at the logs in its directory",
                )

    def _log(self, number: int) -> Path:
        return self._logs / f"worker-{number}.log"

    def _last_words(self) -> str:
        texts = [self._log(number).read_text(errors="replace") for number in range(1, self.started + 1)]
        return " | ".join(line for text in texts for line in text.splitlines()[-3:])


def _see_off(worker: subprocess.Popen[bytes]) -> None:
    try:
        worker.wait(GOODBYE.total_seconds())
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
