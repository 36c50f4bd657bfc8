"""celery under test: one process (pool solo), 100 prefetched, JSON, results stored in Redis."""

import asyncio
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from celery import Celery

from bench.peers.on_redis import RedisScript
from bench.peers.script import BlockingScript, Handled, main

PREFETCH = 100
warnings.filterwarnings("ignore", message=".*superuser")


def application(url: str, handled: Handled | None = None) -> tuple[Celery, Any]:
    app = Celery("bench", broker=url, backend=url)
    app.conf.update(
        worker_prefetch_multiplier=PREFETCH,
        broker_connection_retry_on_startup=True,
        worker_send_task_events=False,
        worker_redirect_stdouts=False,
        result_expires=3600,
    )
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
        self._noop.apply_async((sent,))

    async def one(self, caller: int, sent: float) -> None:
        self.call(sent)

    async def many(self, n: int) -> None:
        for _ in range(n):
            self.call(0.0)


class CeleryScript(BlockingScript, RedisScript):
    package = "celery"
    queue = "celery"
    results = "celery-task-meta-*"

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        yield Client(application(url)[1])

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        app, _ = application(url, handled)
        worker = app.Worker(
            pool="solo", loglevel="ERROR", without_gossip=True, without_mingle=True, without_heartbeat=True
        )
        await handled.begin()
        worker.start()  # in the main thread, until SIGTERM: it brings handlers of its own


if __name__ == "__main__":
    main(CeleryScript())
