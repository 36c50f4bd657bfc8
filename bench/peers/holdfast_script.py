"""Holdfast under test: one no-op task, uvloop, as many slots as a batch."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import asyncpg

from bench.peers.on_asyncpg import AsyncpgScript
from bench.peers.script import MOST, Handled, main, until_stopped
from holdfast import Holdfast, Worker
from holdfast.db.migrate import migrate
from holdfast.worker.settle import settle_loop

SLOTS = int(os.environ.get("BENCH_SLOTS", "1000"))
LEASE = timedelta(seconds=float(os.environ.get("BENCH_LEASE", "30")))


def application(url: str, handled: Handled | None = None) -> Holdfast:
    app = Holdfast(url)
    note = handled or (lambda _: None)

    @app.task(name="noop")
    async def noop(n: float) -> None:
        note(n)

    return app


class Client:
    def __init__(self, app: Holdfast) -> None:
        self._noop = app.tasks["noop"]

    async def one(self, caller: int, sent: float) -> None:
        await self._noop.enqueue(n=sent)

    async def many(self, n: int) -> None:
        await self._noop.enqueue_many(self._noop.call(n=0.0) for _ in range(n))


class HoldfastScript(AsyncpgScript):
    package = "holdfast-queue"
    done = (
        "select count(*), extract(epoch from max(ended_at))::float8 from holdfast.history"
        " where state = 'completed'"
    )
    left = "select count(*) from holdfast.jobs"
    is_empty = "select not exists (select from holdfast.jobs)"

    async def prepare(self, url: str) -> None:
        connection = await asyncpg.connect(url)
        await migrate(connection)
        await connection.execute("select holdfast.make_partitions()")
        await connection.close()

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        async with application(url) as app:
            await _connect(app)
            yield Client(app)

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        names = vars(settle_loop)
        names["settle_and_claim"] = handled.timed(names["settle_and_claim"])
        async with application(url, handled) as app:
            await _connect(app)
            await handled.begin()
            worker = Worker(app, ["default"], slots=SLOTS, lease=LEASE)
            running = await until_stopped(worker.run(), stop)
            if MOST in os.environ:
                await _finish_claimed(app, handled)
            worker.stop()
            await running
            if MOST in os.environ:
                await app.resume_queue("default")


async def _connect(app: Holdfast) -> None:
    """Before the clock runs, as the others do. The worker's own connections are part of its start."""
    await app.database.fetch("select 1")


async def _finish_claimed(app: Holdfast, handled: Handled) -> None:
    """A worker that is stopped gives back what it has just claimed, which would cost, but not count."""
    await app.pause_queue("default")
    before = -1
    while before != handled.count:
        before = handled.count
        await asyncio.sleep(0.3)


if __name__ == "__main__":
    main(HoldfastScript())
