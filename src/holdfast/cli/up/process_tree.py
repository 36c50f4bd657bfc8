"""The processes of `holdfast up`: each is replaced when it fails, and they drain together."""

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from time import monotonic

from holdfast.cli.up.child_process import ChildProcess
from holdfast.cli.workers.reload import LOOK_EVERY, modified
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

# Without it, a process that fails at once would be started in a tight loop.
REST = timedelta(seconds=1)
LONGEST_REST = timedelta(seconds=30)
STEADY = timedelta(minutes=1)  # a process that ran for so long begins again with the first rest


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


class ProcessTree:
    """`server` comes first: the others start when it has written a line that `is_ready` accepts.

    `line` gets the name of a process and each line that it writes. `watched`: the directory whose .py files
    are watched; a process that fails then waits for a change.
    """

    def __init__(
        self,
        server: Program,
        others: Sequence[Program],
        line: Callable[[str, str], None],
        is_ready: Callable[[str], bool],
        watched: Path | None = None,
        rest: timedelta = REST,
    ) -> None:
        self._server, self._others = server, others
        self._line, self._is_ready = line, is_ready
        self._watched, self._rest = watched, rest
        self._children: dict[str, ChildProcess] = {}
        self._ready, self._roused = asyncio.Event(), asyncio.Event()
        self._signals = self._changes = self._code = 0

    async def run(self) -> int:
        """Until a signal stops it, or no process is left. Not 0: the server could not start."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        watching = asyncio.create_task(self._watch())
        try:
            async with asyncio.TaskGroup() as group:
                serving = group.create_task(self._keep(self._server))
                ready = group.create_task(self._ready.wait())
                await asyncio.wait((serving, ready), return_when=asyncio.FIRST_COMPLETED)
                ready.cancel()
                for program in self._others if self._ready.is_set() else ():
                    group.create_task(self._keep(program))
        finally:
            watching.cancel()
        return self._code

    def stop(self) -> None:
        """All drain; the second time they end their grace, the third time they are killed."""
        self._signals += 1
        for child in self._children.values():
            child.ask_to_stop() if self._signals < 3 else child.kill()
        self._rouse()

    async def _keep(self, program: Program) -> None:
        rest = self._rest
        while True:
            began, changes = monotonic(), self._changes
            pid, code = await self._run_once(program, changes)
            if self._is_stopping():
                return
            if changes != self._changes:
                continue
            if code == 0:
                emit(Event.PROCESS_LEFT, process=program.name, process_pid=pid)
                return
            if program is self._server and not self._ready.is_set() and self._watched is None:
                self._code = code
                return
            if monotonic() - began > STEADY.total_seconds():
                rest = self._rest
            await self._after_failure(program, pid, code, rest)
            if self._is_stopping():
                return
            rest = min(2 * rest, LONGEST_REST)

    async def _run_once(self, program: Program, changes: int) -> tuple[int, int]:
        def line(text: str) -> None:
            if program is self._server and self._is_ready(text):
                self._ready.set()
            self._line(program.name, text)

        child = await ChildProcess.start(program.command, program.environment, line)
        self._children[program.name] = child
        for _ in range(self._signals or self._changes - changes):  # that came while it started
            child.ask_to_stop()
        try:
            return child.pid, await child.exit_code()
        finally:
            del self._children[program.name]

    async def _after_failure(self, program: Program, pid: int, code: int, rest: timedelta) -> None:
        seconds = None if self._watched else rest.total_seconds()
        emit(Event.PROCESS_FAILED, process=program.name, process_pid=pid, code=code, restart_in=seconds)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._roused.wait()

    async def _watch(self) -> None:
        seen = None if self._watched is None else await asyncio.to_thread(modified, self._watched)
        while self._watched is not None and seen is not None:
            await asyncio.sleep(LOOK_EVERY)
            now = await asyncio.to_thread(modified, self._watched)
            changed = sorted(path for path in now.keys() | seen.keys() if now.get(path) != seen.get(path))
            if changed and not self._signals:
                emit(Event.CODE_CHANGED, file=changed[0])
                self._changes += 1
                for child in self._children.values():
                    child.ask_to_stop()
                self._rouse()
            seen = now

    def _is_stopping(self) -> bool:
        return self._signals > 0

    def _rouse(self) -> None:
        """Those that wait for their restart go on."""
        self._roused.set()
        self._roused = asyncio.Event()
