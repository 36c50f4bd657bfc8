"""arq under test: 100 jobs at a time, polling 50 times a second, results kept."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from arq import create_pool
from arq.connections import RedisSettings
from arq.worker import Worker, func

from bench.peers.on_redis import RedisScript
from bench.peers.script import Handled, main, until_stopped

CONCURRENCY = 100
POLL_SECONDS = 0.02


class Client:
    """There is no bulk enqueue: many are sent side by side."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    async def one(self, caller: int, sent: float) -> None:
        await self._pool.enqueue_job("noop", sent)

    async def many(self, n: int) -> None:
        for first in range(0, n, 100):
            await asyncio.gather(*(self.one(0, 0.0) for _ in range(first, min(first + 100, n))))


class ArqScript(RedisScript):
    package = "arq"
    queue = "arq:queue"
    results = "arq:result:*"

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        pool = await create_pool(RedisSettings.from_dsn(url))
        yield Client(pool)
        await pool.aclose()

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        logging.getLogger("arq").setLevel(logging.ERROR)

        async def noop(_: Any, n: float) -> None:
            handled(n)

        worker = Worker(
            [func(noop, name="noop")],
            redis_settings=RedisSettings.from_dsn(url),
            max_jobs=CONCURRENCY,
            poll_delay=POLL_SECONDS,
            handle_signals=False,
            log_results=False,
        )
        await handled.begin()
        running = await until_stopped(worker.async_run(), stop)
        running.cancel()
        await asyncio.wait([running])
        await worker.close()


if __name__ == "__main__":
    main(ArqScript())
