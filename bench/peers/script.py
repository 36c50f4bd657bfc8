"""What every system's script has in common: its commands, a common start, and what it reports.

Standard library only, since it runs in the peers' environments. `script COMMAND URL [N ...]` prints one JSON
object as its last line. `work` first prints a line when it is set up, then waits for a line on its input, so
that several workers begin at the same moment; it works until SIGTERM.
"""

import asyncio
import importlib
import importlib.metadata
import json
import mmap
import os
import signal
import struct
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

POLL_SECONDS = 0.1
LONGEST_SECONDS = 3600.0
# A file in which the worker counts what it handled, for the producer and the suite: they need not ask the
# database, whose answer would get slower with every dead row.
COUNTER = "BENCH_COUNTER"
CLAIMS = "BENCH_CLAIMS"  # set: note how long each claim took
MOST = "BENCH_MOST"  # set: leave after so many jobs
WORKERS = "BENCH_WORKERS"  # set: so many worker processes share the work
FEATURES = "BENCH_FEATURES"  # set: the features that a bulk enqueue uses, by name
PRIORITIES = (10, 30, 50, 70, 90)


@dataclass(frozen=True, slots=True)
class Count:
    """`last`: when the last end was recorded, by the database's clock; None if it does not say."""

    done: int
    left: int
    last: float | None = None


class Handled:
    """What the handlers of this process did."""

    def __init__(self, stop: asyncio.Event) -> None:
        self.count = 0
        self.more: dict[str, Any] = {}  # what else a script reports
        self.latencies: list[float] = []
        self.claims: list[float] = []
        self._stop = stop
        self._most = int(os.environ.get(MOST, "0"))
        self._shared = open_counter(os.environ[COUNTER]) if COUNTER in os.environ else None

    async def begin(self) -> None:
        """Called by the worker when it is connected and could start: all workers start together."""
        _say_ready()
        await asyncio.to_thread(sys.stdin.readline)

    def __call__(self, sent: float) -> None:
        """Called by every handler; `sent` is when its job was about to be enqueued, or 0."""
        self.count += 1
        if sent:
            self.latencies.append(time.time() - sent)
        if self._shared is not None:
            struct.pack_into("q", self._shared, 0, self.count)
        if self.count == self._most:
            self._stop.set()

    def timed(self, claim: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """The same function, noting how long it took."""

        async def timed(*args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            found = await claim(*args, **kwargs)
            self.claims.append(time.perf_counter() - began)
            return found

        return timed if CLAIMS in os.environ else claim


def open_counter(path: str) -> mmap.mmap:
    with Path(path).open("r+b") as file:
        return mmap.mmap(file.fileno(), 8)


def read_counter(counter: mmap.mmap) -> int:
    value: int = struct.unpack_from("q", counter, 0)[0]
    return value


class Client(Protocol):
    """How jobs are enqueued."""

    async def one(self, caller: int, sent: float) -> None:
        """Durable when it returns; `caller` numbers the concurrent callers from 0."""

    async def many(self, n: int) -> None:
        """Makes `n` jobs and enqueues them, as much at once as the system can."""


class Script(ABC):
    """A system with an asynchronous interface."""

    package: str

    @abstractmethod
    async def prepare(self, url: str) -> None:
        """Creates what it needs in an empty database."""

    @abstractmethod
    def client(self, url: str, callers: int) -> Any:
        """An asynchronous context manager that gives a Client."""

    @abstractmethod
    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        """A worker at its best sensible setting: set up, then `handled.begin()`, until `stop` is set."""

    @abstractmethod
    async def count(self, url: str) -> Count: ...

    async def is_done(self, url: str) -> bool:
        """A quicker question than `count`, where there is one."""
        return (await self.count(url)).left == 0

    async def command_prepare(self, url: str) -> dict[str, Any]:
        await self.prepare(url)
        return {"version": importlib.metadata.version(self.package)}

    async def command_bulk(self, url: str, jobs: float) -> dict[str, Any]:
        async with self.client(url, 1) as client:
            began = time.perf_counter()
            await client.many(int(jobs))
            return {"seconds": time.perf_counter() - began}

    async def command_single(self, url: str, seconds: float, callers: float) -> dict[str, Any]:
        """Each caller enqueues one job after the other until the time is over."""
        async with self.client(url, int(callers)) as client:
            await asyncio.gather(*(client.one(caller, 0.0) for caller in range(int(callers))))
            began = time.perf_counter()
            counts = await asyncio.gather(
                *(_call(client, caller, began + seconds) for caller in range(int(callers)))
            )
            return {"jobs": sum(counts), "seconds": time.perf_counter() - began}

    async def command_trickle(self, url: str, jobs: float, milliseconds: float) -> dict[str, Any]:
        """One job after the other, so seldom that the worker is idle in between."""
        async with self.client(url, 1) as client:
            began = time.perf_counter()
            for n in range(int(jobs)):
                await asyncio.sleep(max(0.0, began + n * milliseconds / 1000 - time.perf_counter()))
                await client.one(0, time.time())
        return {}

    async def command_produce(self, url: str, rate: float, seconds: float) -> dict[str, Any]:
        """At a steady rate; with rate 0 as fast as keeps 1,000 to 10,000 jobs ready."""
        counter = open_counter(os.environ[COUNTER])
        enqueued, began = 0, time.perf_counter()
        async with self.client(url, 1) as client:
            while (elapsed := time.perf_counter() - began) < seconds:
                ready = enqueued - read_counter(counter)
                wanted = int(rate * elapsed) - enqueued if rate else 2_000 * (ready < 5_000)
                if wanted > 0:
                    await client.many(min(wanted, 2_000))
                    enqueued += min(wanted, 2_000)
                else:
                    await asyncio.sleep(0.01)
        return {"enqueued": enqueued}

    async def command_work(self, url: str) -> dict[str, Any]:
        stop = asyncio.Event()
        handled = Handled(stop)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await self.work(url, handled, stop)
        report = {"handled": handled.count, "latencies": handled.latencies, "claims": handled.claims}
        return report | handled.more

    async def command_watch(self, url: str, jobs: float) -> dict[str, Any]:
        """Until so many are recorded as done and none is left."""
        _say_ready()
        until = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < until:
            if await self.is_done(url):
                seen = time.time()
                count = await self.count(url)
                if count.left == 0 and count.done >= jobs:
                    return {"done": count.done, "last": seen if count.last is None else count.last}
            await asyncio.sleep(POLL_SECONDS)
        raise TimeoutError(f"There are {await self.count(url)} of {jobs:.0f} jobs.")

    async def command_count(self, url: str) -> dict[str, Any]:
        return asdict(await self.count(url))


class BlockingScript(Script):
    """A system whose enqueue blocks: its concurrent callers are threads, with no loop in between."""

    async def command_single(self, url: str, seconds: float, callers: float) -> dict[str, Any]:
        async with self.client(url, int(callers)) as client:
            with ThreadPoolExecutor(int(callers)) as threads:
                list(threads.map(client.call, [0.0] * int(callers)))
                began = time.perf_counter()
                counts = list(
                    threads.map(_call_blocking, [client.call] * int(callers), [seconds] * int(callers))
                )
                return {"jobs": sum(counts), "seconds": time.perf_counter() - began}


class SqlScript(Script):
    """A system that keeps its jobs in PostgreSQL."""

    done: str  # a query for how many are recorded as done, and the last of these moments in seconds
    left: str  # a query for how many are not ended
    is_empty: str  # a query for whether none is left, as cheap as can be

    @abstractmethod
    async def fetch(self, url: str, query: str) -> Any:
        """One row, on a connection that is kept."""

    async def count(self, url: str) -> Count:
        done, last = await self.fetch(url, self.done)
        (left,) = await self.fetch(url, self.left)
        return Count(done, left, last)

    async def is_done(self, url: str) -> bool:
        (empty,) = await self.fetch(url, self.is_empty)
        return bool(empty)


def _say_ready() -> None:
    print(json.dumps({"ready": True}), flush=True)


async def _call(client: Client, caller: int, until: float) -> int:
    count = 0
    while time.perf_counter() < until:
        await client.one(caller, 0.0)
        count += 1
    return count


def _call_blocking(call: Callable[[float], object], seconds: float) -> int:
    count, until = 0, time.perf_counter() + seconds
    while time.perf_counter() < until:
        call(0.0)
        count += 1
    return count


def features() -> set[str]:
    return set(os.environ.get(FEATURES, "").split())


def priorities(n: int) -> list[int] | None:
    """One for each of `n` jobs, if they are asked for."""
    return [PRIORITIES[i % len(PRIORITIES)] for i in range(n)] if "priorities" in features() else None


def unique_keys(n: int) -> list[str] | None:
    """One for each of `n` jobs, if they are asked for."""
    return [f"key-{i}" for i in range(n)] if "unique" in features() else None


def options(n: int, priority: str, unique_key: str) -> list[dict[str, Any]]:
    """What each of `n` jobs is given, under the names that the system has for it."""
    asked = {priority: priorities(n), unique_key: unique_keys(n)}
    given = {name: values for name, values in asked.items() if values is not None}
    return [{name: values[i] for name, values in given.items()} for i in range(n)]


async def until_stopped(work: Coroutine[Any, Any, Any], stop: asyncio.Event) -> "asyncio.Task[Any]":
    """Starts a worker, and gives its task when it shall leave; raises what broke it before."""
    running = asyncio.create_task(work)
    waiting = asyncio.create_task(stop.wait())
    await asyncio.wait([running, waiting], return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        waiting.cancel()
        running.result()
        raise RuntimeError("The worker left before it was told to.")
    return running


def main(script: Script) -> None:
    name, url, *numbers = sys.argv[1:]
    command: Callable[..., Coroutine[Any, Any, dict[str, Any]]] = getattr(script, f"command_{name}")
    try:
        run: Any = importlib.import_module("uvloop").run
    except ImportError:
        run = asyncio.run
    print(json.dumps(run(command(url, *map(float, numbers)))), flush=True)
