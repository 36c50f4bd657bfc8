"""pgqueuer under test: asyncpg, uvloop, batches of 500.

A pool where several callers enqueue, and where one worker drains alone, which is a seventh faster with it.
Two workers are a fifth faster with one connection each, and so they have that.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver, AsyncpgPoolDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries

from bench.peers.on_asyncpg import AsyncpgScript
from bench.peers.script import WORKERS, Handled, main, priorities, unique_keys, until_stopped

BATCH = 500
CHUNK = 1000  # a sixth faster than all 20,000 at once, with priorities and with keys


class Client:
    def __init__(self, queries: Any) -> None:
        self._queries = queries

    async def one(self, caller: int, sent: float) -> None:
        await self._queries.enqueue("noop", b"%f" % sent)

    async def many(self, n: int) -> None:
        """The payload is the application's own: bytes, here as cheap as can be."""
        given, keys = priorities(n) or [0] * n, unique_keys(n)
        for first in range(0, n, CHUNK):
            part = slice(first, first + CHUNK)
            size = len(given[part])
            payloads = [b"%f" % 0.0 for _ in range(size)]
            await self._queries.enqueue(
                ["noop"] * size, payloads, given[part], dedupe_key=keys[part] if keys else None
            )


class PgQueuerScript(AsyncpgScript):
    package = "pgqueuer"
    done = (
        "select count(*), extract(epoch from max(created))::float8 from pgqueuer_log"
        " where status = 'successful'"
    )
    left = "select count(*) from pgqueuer"
    is_empty = "select not exists (select from pgqueuer)"

    async def prepare(self, url: str) -> None:
        connection = await asyncpg.connect(url)
        await Queries(AsyncpgDriver(connection)).install()
        await connection.close()

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        if callers == 1:
            connection = await asyncpg.connect(url)
            yield Client(Queries(AsyncpgDriver(connection)))
            await connection.close()
        else:
            async with asyncpg.create_pool(url, min_size=10, max_size=20) as pool:
                yield Client(Queries(AsyncpgPoolDriver(pool)))

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        driver = await self._driver(url)
        await handled.begin()
        manager = PgQueuer(driver)
        queries = manager.qm.queries
        queries.dequeue = handled.timed(queries.dequeue)

        @manager.entrypoint("noop")
        async def noop(job: Job) -> None:
            handled(float(job.payload or b"0"))

        running = await until_stopped(manager.run(batch_size=BATCH), stop)
        manager.shutdown.set()
        await running

    async def _driver(self, url: str) -> AsyncpgDriver | AsyncpgPoolDriver:
        if os.environ.get(WORKERS) == "1":
            return AsyncpgPoolDriver(await asyncpg.create_pool(url, min_size=4, max_size=8))
        return AsyncpgDriver(await asyncpg.connect(url))


if __name__ == "__main__":
    main(PgQueuerScript())
