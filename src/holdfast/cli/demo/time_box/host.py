"""What a platform for functions does: starts a worker when it gets a POST. And, for the demo, kills some."""

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

LONGEST_BODY = 64 * 1024
BEAT = 0.02
LAST_ONE = 10.0
# When in its life a worker is killed: after it has begun to work, before it hands over.
KILLED_BETWEEN = (0.5, 2.2)


@dataclass(slots=True)
class Log:
    """What became of the processes."""

    started: int = 0
    killed: int = 0
    lives: list[float] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    lag: float = 0.0  # by how much this process, or the one that forks workers, was late at most

    @property
    def longest(self) -> float:
        return max(self.lives, default=0.0)


class Host:
    """`options`: of each worker, without where it calls back and what it continues. `most`: at once."""

    def __init__(
        self, options: Sequence[str], environment: Mapping[str, str], logs: Path, kill_every: int, most: int
    ) -> None:
        self.log = Log()
        self._options = options
        self._environment = {**os.environ, **environment}
        self._logs = logs
        self._kill_every = kill_every
        self._most = most
        self._chance = random.Random()
        self._alive: set[int] = set()
        self._nobody = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._warm = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "holdfast.cli.demo.time_box.warm"),
            env=self._environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._background(self._measure_lag())
        self._background(self._listen())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The last workers find that nothing is left; they have their time boxes to leave in."""
        self._server.close()
        if kind is None and self._alive:
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_ONE):
                    await self._nobody.wait()
        for task in self._tasks:
            task.cancel()
        for pid in self._alive:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._warm.kill()
        await self._warm.wait()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"

    @property
    def alive(self) -> int:
        return len(self._alive)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request per connection; answered before the worker has begun, as such platforms do."""
        try:
            body = await _read(reader)
            has_room = self.alive < self._most
            if has_room:
                self._start(str(body["continuation"]))
            status = b"202 Accepted" if has_room else b"429 Too Many Requests"
            writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever asked was killed in the middle: somebody asks again
        finally:
            writer.close()

    def _start(self, continuation: str) -> None:
        self.log.started += 1
        given = ("--continue-post", self.url, "--continuation", continuation)
        order = {
            "number": self.log.started,
            "arguments": ["worker", *self._options, *given],
            "log": str(self._logs / f"worker-{self.log.started}.log"),
        }
        assert self._warm.stdin is not None
        self._warm.stdin.write(json.dumps(order).encode() + b"\n")

    async def _listen(self) -> None:
        assert self._warm.stdout is not None
        pids: dict[int, int] = {}
        async for line in self._warm.stdout:
            news = json.loads(line)
            number = news["number"]
            if "pid" in news:
                pids[number] = news["pid"]
                self._alive.add(news["pid"])
                self._nobody.clear()
                if number % self._kill_every == 0:
                    self._background(self._kill(news["pid"]))
            else:
                self._alive.discard(pids.pop(number))
                self.log.lives.append(news["life"])
                self.log.codes.append(news["code"])
                self.log.lag = max(self.log.lag, news["lag"])
                if not self._alive:
                    self._nobody.set()

    async def _kill(self, pid: int) -> None:
        await asyncio.sleep(self._chance.uniform(*KILLED_BETWEEN))
        if pid in self._alive:
            os.kill(pid, signal.SIGKILL)
            self.log.killed += 1

    async def _measure_lag(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(BEAT)
            self.log.lag = max(self.log.lag, time.monotonic() - before - BEAT)

    def _background(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _read(reader: asyncio.StreamReader) -> dict[str, Any]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = head.split("\r\n")[1:]
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = min(int(headers.get("content-length", 0)), LONGEST_BODY)
    body: dict[str, Any] = json.loads(await reader.readexactly(length))
    return body
