"""Workers as processes of their own, to be started, stopped for a while and killed."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from holdfast.model.error import HoldfastError

GOODBYE = timedelta(seconds=10)


class Crew:
    """They stay in this process's group, so that a closed terminal takes them along."""

    def __init__(self, options: Sequence[str], environment: Mapping[str, str], logs: Path) -> None:
        """`options`: what each is given behind `holdfast worker`."""
        self._options = options
        self._environment = {**os.environ, **environment}
        self._logs = logs
        self._workers: list[subprocess.Popen[bytes]] = []
        self.started = 0
        self.killed = 0
        self.codes: dict[int, int] = {}  # of those that were dismissed or killed, by process id

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            await asyncio.to_thread(_see_off, worker)

    def start(self, environment: Mapping[str, str] | None = None) -> int:
        """A new worker, with what it alone finds in its environment; returns its process id."""
        self.started += 1
        command = [sys.executable, "-m", "holdfast", "worker", *self._options]
        with self._log(self.started).open("wb") as log:
            worker = subprocess.Popen(
                command,
                env={**self._environment, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._workers.append(worker)
        return worker.pid

    @property
    def pids(self) -> list[int]:
        return [worker.pid for worker in self._workers]

    async def dismiss_one(self, pid: int, within: timedelta) -> bool:
        """SIGTERM, and wait until it has left; false if it had not by then, and was killed."""
        worker = self._take(pid)
        worker.terminate()
        has_left = await asyncio.to_thread(_see_off, worker, within)
        self.codes[pid] = worker.returncode
        return has_left

    def kill_one(self, pid: int | None = None) -> int:
        """kill -9, the way the kernel does it when memory runs out; returns the process id."""
        worker = self._take(pid)
        worker.kill()
        self.codes[worker.pid] = worker.wait()
        self.killed += 1
        return worker.pid

    def check(self) -> None:
        """Raises if a worker has left by itself."""
        for worker in self._workers:
            if worker.poll() is not None:
                raise HoldfastError(
                    f"A worker left with exit code {worker.returncode}: {self._last_words()}",
                    "keep the directory with --keep, and look at the logs in it",
                )

    def bury(self) -> dict[int, int]:
        """Takes off those that have left by themselves; their exit codes by process id."""
        gone = {worker.pid: worker.returncode for worker in self._workers if worker.poll() is not None}
        self._workers = [worker for worker in self._workers if worker.pid not in gone]
        return gone

    def _take(self, pid: int | None) -> subprocess.Popen[bytes]:
        place = 0 if pid is None else self.pids.index(pid)
        return self._workers.pop(place)

    def _log(self, number: int) -> Path:
        return self._logs / f"worker-{number}.log"

    def _last_words(self) -> str:
        texts = [self._log(number).read_text(errors="replace") for number in range(1, self.started + 1)]
        return " | ".join(line for text in texts for line in text.splitlines()[-3:])


def _see_off(worker: subprocess.Popen[bytes], within: timedelta = GOODBYE) -> bool:
    try:
        worker.wait(within.total_seconds())
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
        return False
    return True
