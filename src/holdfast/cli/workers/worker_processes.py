"""`holdfast worker --processes`: several workers, each a process of its own, kept as many as are wanted."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import inf

from holdfast.cli.frame.output import say
from holdfast.db.connect import Database
from holdfast.db.flags import worker_flags
from holdfast.db.worker_needs import recommended_workers
from holdfast.model.error import HoldfastError, InvalidOption
from holdfast.model.flag import sizes_of
from holdfast.model.worker_need import TARGET

MEMBER = "HOLDFAST_WORKER_MEMBER"  # its place among them, from 0; one that replaces another gets its place
STAGGER = "HOLDFAST_WORKER_STAGGER"
LOOK_EVERY = timedelta(seconds=10)
# Without it, a worker that exits at once would be started in a tight loop.
REST = timedelta(seconds=1)
LONGEST_REST = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Wanted:
    """As many as `least`, or as the queues need, up to `most`."""

    least: int
    most: int

    @classmethod
    def parse(cls, text: str, most: int | None) -> "Wanted":
        if text == "auto":
            return cls(1, most or os.cpu_count() or 1)
        if not text.isdecimal() or not 1 <= int(text) <= 1000:
            raise InvalidOption(
                f"--processes must be auto or a number from 1 to 1000 (got {text!r}).",
                "auto runs as many processes as the queues need",
            )
        return cls(int(text), int(text))

    @property
    def is_one(self) -> bool:
        return self.most == 1

    def bounded(self, need: float) -> int:
        return int(max(self.least, min(self.most, need)))


async def needed(database: Database, queues: Sequence[str], slots: int | None, group: str | None) -> float:
    """What the queues need together; nothing changes while the database does not answer."""
    try:
        each = sizes_of(slots, None, await worker_flags(database, group)).slots
        found = [await recommended_workers(database, queue, TARGET, slots=each) for queue in queues]
    except HoldfastError as exc:
        say(f"warning: the number of workers that the queues need is not known: {exc.message}")
        return -inf
    return sum(one.workers for one in found)


def command_of(arguments: Sequence[str]) -> list[str]:
    """Another process of this program."""
    return [sys.executable, "-m", "holdfast", *arguments]


class Team:
    """Its members get the same arguments; signals are passed on, and it leaves with the last of them."""

    def __init__(self, arguments: Sequence[str], wanted: Wanted, ask: Callable[[], Awaitable[float]]) -> None:
        self._command = command_of(arguments)
        self._wanted = wanted
        self._ask = ask
        self._count = wanted.least
        self._members: dict[asyncio.Task[int], asyncio.subprocess.Process] = {}
        self._places: dict[asyncio.Task[int], int] = {}
        self._rest = REST
        self._stopping = asyncio.Event()
        self._code = 0

    async def work(self) -> int:
        """Until a signal stops it, or until all members have exited, their work done."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        following = asyncio.create_task(self._follow())
        try:
            await self._fill()
            while self._members:
                done, _ = await asyncio.wait(self._members, return_when=asyncio.FIRST_COMPLETED)
                for member in done:
                    await self._see_off(member)
        finally:
            following.cancel()
        return self._code

    async def _follow(self) -> None:
        """With auto: as many as are needed, looked at now and then. Fewer leave one at a time."""
        while self._wanted.least != self._wanted.most:
            await asyncio.sleep(LOOK_EVERY.total_seconds())
            need = await self._ask()
            count = self._wanted.bounded(need) if need > -inf else self._count
            if count != self._count:
                say(f"holdfast: {count} worker processes instead of {self._count}")
            self._count = count if count > self._count else self._count - (count < self._count)
            if not self._stopping.is_set():
                await self._fill()
                self._thin_out()

    async def _fill(self) -> None:
        while len(self._members) < self._count and not self._stopping.is_set():
            several = {} if self._wanted.is_one else {STAGGER: os.environ.get(STAGGER, "1s")}
            # In a session of its own, or Ctrl-C would reach it twice: from the terminal and from here.
            place = min(set(range(self._count)) - set(self._places.values()))
            process = await asyncio.create_subprocess_exec(
                *self._command, env={**os.environ, MEMBER: str(place), **several}, start_new_session=True
            )
            member = asyncio.create_task(process.wait())
            self._members[member], self._places[member] = process, place

    def _thin_out(self) -> None:
        for process in list(self._members.values())[self._count :]:
            _end(process)

    async def _see_off(self, member: "asyncio.Task[int]") -> None:
        """One that failed is replaced after a rest; one that left with 0 has done its work."""
        del self._members[member], self._places[member]
        code = member.result()
        if code == 0 or self._stopping.is_set():
            self._code = self._code or code
            return
        say(f"warning: a worker process exited with code {code}; another replaces it")
        try:
            async with asyncio.timeout(self._rest.total_seconds()):
                await self._stopping.wait()
        except TimeoutError:
            self._rest = min(LONGEST_REST, 2 * self._rest)
            await self._fill()

    def _stop(self) -> None:
        self._stopping.set()
        for process in self._members.values():
            _end(process)


def _end(process: asyncio.subprocess.Process) -> None:
    """One that has left already stays a member until it is seen off, and a signal to it would raise."""
    if process.returncode is None:
        process.terminate()
