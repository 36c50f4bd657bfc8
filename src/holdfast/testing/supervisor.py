"""Worker processes: started, watched, signalled, killed and restarted, each with a log file of its own."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Self

from holdfast.model.error import HoldfastError

SHUTDOWN = timedelta(seconds=10)
LAST_LINES = 3


class WorkerProcess:
    """One process; its stdout and stderr go to `NAME.out` and `NAME.log`."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], name: Path, cwd: Path | None
    ) -> None:
        self._out, self._log = name.with_suffix(".out"), name.with_suffix(".log")
        with self._out.open("wb") as out, self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=log
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; the negative number of the signal that killed it."""
        return self._process.poll()

    @property
    def output(self) -> str:
        return self._out.read_text(errors="replace")

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> int:
        """kill -9, as the kernel does when memory runs out; returns the exit code."""
        self._process.kill()
        return self._process.wait()

    async def exits(self, within: timedelta) -> bool:
        """Wait until it has exited; false if it had not by then, and was killed."""
        try:
            await asyncio.to_thread(self._process.wait, within.total_seconds())
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        return True


class Supervisor:
    """Ends all its workers when the block ends. They stay in this process's group, so that a closed terminal
    ends them too.

    `workers`: those that run, and those that have exited by themselves and were not taken out yet.
    `exit_codes`: of those that were killed or terminated, by process id. `unresponsive`: how many did not
    exit after SIGTERM.
    """

    def __init__(
        self,
        module: Sequence[str],
        environment: Mapping[str, str],
        logs: Path,
        *,
        cwd: Path | None = None,
        shutdown: timedelta = SHUTDOWN,
    ) -> None:
        """`module`: a Python module and its arguments. `shutdown`: how long a worker may take to exit."""
        self._module = module
        self._environment = {**os.environ, **environment}
        self._logs = logs
        self._cwd = cwd
        self._shutdown = shutdown
        self.workers: list[WorkerProcess] = []
        self.started = 0
        self.killed = 0
        self.unresponsive = 0
        self.exit_codes: dict[int, int] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.signal(signal.SIGTERM)
        for worker in self.workers:
            await self._until_exited(worker, self._shutdown)

    def start(self, *arguments: str, environment: Mapping[str, str] | None = None) -> WorkerProcess:
        """One more worker, with arguments and environment variables that it alone gets."""
        self.started += 1
        worker = WorkerProcess(
            [sys.executable, "-m", *self._module, *arguments],
            {**self._environment, **(environment or {})},
            self._logs / f"worker-{self.started}",
            self._cwd,
        )
        self.workers.append(worker)
        return worker

    @property
    def pids(self) -> list[int]:
        return [worker.pid for worker in self.workers]

    def kill(self, pid: int | None = None) -> int:
        """Kill this worker, or the oldest; returns its process id."""
        worker = self._take(pid)
        self.exit_codes[worker.pid] = worker.kill()
        self.killed += 1
        return worker.pid

    async def terminate(self, pid: int, within: timedelta) -> bool:
        """Send SIGTERM and wait; false if the worker had not exited by then, and was killed."""
        worker = self._take(pid)
        worker.signal(signal.SIGTERM)
        return await self._until_exited(worker, within)

    def check(self) -> None:
        """Raises if a worker has exited by itself."""
        for worker in self.workers:
            if worker.exit_code is not None:
                raise HoldfastError(
                    f"A worker exited with code {worker.exit_code}:"
                    f" {' | '.join(worker.log.splitlines()[-LAST_LINES:])}",
                    f"look at the logs in {self._logs}",
                )

    def take_exited(self) -> dict[int, int]:
        """Take out the workers that have exited by themselves; their exit codes by process id."""
        exited = {one.pid: one.exit_code for one in self.workers if one.exit_code is not None}
        self.workers = [one for one in self.workers if one.pid not in exited]
        return exited

    async def keep_running(self, pause: timedelta) -> None:
        """Start a worker for each that exits, as a service manager does, until the task is cancelled."""
        while True:
            await asyncio.sleep(pause.total_seconds())
            for _ in self.take_exited():
                self.start()

    async def _until_exited(self, worker: WorkerProcess, within: timedelta) -> bool:
        has_exited = await worker.exits(within)
        self.unresponsive += not has_exited
        self.exit_codes[worker.pid] = worker.exit_code or 0
        return has_exited

    def _take(self, pid: int | None) -> WorkerProcess:
        place = 0 if pid is None else self.pids.index(pid)
        return self.workers.pop(place)
