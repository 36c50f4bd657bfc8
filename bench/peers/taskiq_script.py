"""taskiq on Redis under test: the list broker, which waits instead of polling, 100 jobs at a time."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from taskiq.api import run_receiver_task
from taskiq_redis import ListQueueBroker, RedisAsyncResultBackend

from bench.peers.on_redis import RedisScript
from bench.peers.script import Handled, main, until_stopped

CONCURRENCY = 100


def application(url: str, handled: Handled | None = None) -> tuple[Any, Any]:
    backend: Any = RedisAsyncResultBackend(url, result_ex_time=3600, prefix_str="result")
    broker = ListQueueBroker(url).with_result_backend(backend)
    note = handled or (lambda _: None)

    @broker.task(task_name="noop")
    async def noop(n: float) -> None:
        note(n)

    return broker, noop


class Client:
    """There is no bulk enqueue: many are sent side by side."""

    def __init__(self, noop: Any) -> None:
        self._noop = noop

    async def one(self, caller: int, sent: float) -> None:
        await self._noop.kiq(sent)

    async def many(self, n: int) -> None:
        for first in range(0, n, 100):
            await asyncio.gather(*(self.one(0, 0.0) for _ in range(first, min(first + 100, n))))


class TaskiqScript(RedisScript):
    package = "taskiq"
    queue = "taskiq"
    results = "result*"

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        broker, noop = application(url)
        await broker.startup()
        yield Client(noop)
        await broker.shutdown()

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        logging.getLogger("taskiq").setLevel(logging.CRITICAL)
        broker, _ = application(url, handled)
        await broker.startup()
        await handled.begin()
        running = await until_stopped(run_receiver_task(broker, max_async_tasks=CONCURRENCY), stop)
        running.cancel()
        await asyncio.wait([running], timeout=5)
        await broker.shutdown()


if __name__ == "__main__":
    main(TaskiqScript())
