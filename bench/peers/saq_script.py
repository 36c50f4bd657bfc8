"""saq on PostgreSQL under test: psycopg's binary build, 100 jobs at a time, a pool of 20, LISTEN."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from saq import Job, Queue, Worker

from bench.peers.on_psycopg import PsycopgScript
from bench.peers.script import Handled, main, options, until_stopped

CONCURRENCY = 100


class Client:
    """There is no bulk enqueue: many are sent side by side."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    async def one(self, caller: int, sent: float) -> None:
        await self._queue.enqueue(_job(sent))

    async def many(self, n: int) -> None:
        given = options(n, priority="priority", unique_key="key")
        for first in range(0, n, 1000):
            jobs = (_job(0.0, **each) for each in given[first : first + 1000])
            await asyncio.gather(*map(self._queue.enqueue, jobs))


def _job(sent: float, **given: Any) -> Job:
    """Kept for an hour, so that it can be counted, and without its default time limit of 10 s."""
    return Job("noop", kwargs={"n": sent}, ttl=3600, timeout=600, **given)


async def work_off(queue: Queue, handled: Handled, stop: asyncio.Event) -> None:
    """Also for Redis: the worker is the same."""
    logging.getLogger("saq").setLevel(logging.ERROR)

    async def noop(_: Any, n: float) -> None:
        handled(n)

    worker: Any = Worker(queue, [("noop", noop)], concurrency=CONCURRENCY)
    worker.SIGNALS = []
    await queue.connect()
    await handled.begin()
    running = await until_stopped(worker.start(), stop)
    await worker.stop()
    await running
    await queue.disconnect()


class SaqScript(PsycopgScript):
    package = "saq"
    done = (
        "select count(*), max((convert_from(job, 'utf8')::json ->> 'completed')::float8) / 1000"
        " from saq_jobs where status = 'complete'"
    )
    left = "select count(*) from saq_jobs where status <> 'complete'"
    is_empty = "select not exists (select from saq_jobs where status <> 'complete')"

    async def prepare(self, url: str) -> None:
        queue = Queue.from_url(url)
        await queue.connect()
        await queue.disconnect()

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        queue = Queue.from_url(url)
        await queue.connect()
        yield Client(queue)
        await queue.disconnect()

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        await work_off(Queue.from_url(url), handled, stop)


if __name__ == "__main__":
    main(SaqScript())
