"""huey on SQLite under test: one thread, since writers exclude each other, 100 looks a second when idle."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from huey import SqliteHuey

from bench.peers.script import BlockingScript, Count, Handled, main

POLL_SECONDS = 0.01


def application(url: str, handled: Handled | None = None) -> tuple[Any, Any]:
    """Results are stored, also those that are nothing: an end must be recorded."""
    app = SqliteHuey("bench", filename=url, store_none=True, timeout=60)
    note = handled or (lambda _: None)

    @app.task(name="noop")
    def noop(n: float) -> None:
        note(n)

    return app, noop


class Client:
    """There is no bulk enqueue."""

    def __init__(self, noop: Any) -> None:
        self._noop = noop

    def call(self, sent: float) -> None:
        self._noop(sent)

    async def one(self, caller: int, sent: float) -> None:
        self.call(sent)

    async def many(self, n: int) -> None:
        for _ in range(n):
            self.call(0.0)


class HueyScript(BlockingScript):
    package = "huey"

    async def prepare(self, url: str) -> None:
        application(url)

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        yield Client(application(url)[1])

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        logging.getLogger("huey").setLevel(logging.ERROR)
        app, _ = application(url, handled)
        consumer = app.create_consumer(
            workers=1,
            periodic=False,
            initial_delay=POLL_SECONDS,
            max_delay=POLL_SECONDS,
            check_worker_health=False,
        )
        await handled.begin()
        consumer.start()
        await stop.wait()
        consumer.stop(graceful=True)

    async def count(self, url: str) -> Count:
        connection = sqlite3.connect(url, timeout=60)
        (done,) = connection.execute("select count(*) from kv").fetchone()
        (left,) = connection.execute("select count(*) from task").fetchone()
        connection.close()
        return Count(done, left)


if __name__ == "__main__":
    main(HueyScript())
