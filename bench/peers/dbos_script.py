"""dbos under test: a queue with 100 workflows at a time, polled 50 times a second; enqueued by its client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSClient

from bench.peers.on_psycopg import PsycopgScript
from bench.peers.script import BlockingScript, Handled, main, options

CONCURRENCY = 100
POLL_SECONDS = 0.02
CHUNK = 1000
OPTIONS: Any = {"workflow_name": "noop", "queue_name": "bench"}
POOL = 20
_handled: list[Handled] = []


@DBOS.workflow(name="noop")
async def noop(n: float) -> None:
    _handled[0](n)


def configure(url: str) -> None:
    DBOS(
        config={
            "name": "bench",
            "system_database_url": url,
            "sys_db_pool_size": POOL,
            "log_level": "ERROR",
            "application_version": "1",
        }
    )


async def launch() -> None:
    DBOS.launch()
    await DBOS.register_queue_async(
        "bench", worker_concurrency=CONCURRENCY, polling_interval_sec=POLL_SECONDS
    )


class Client:
    def __init__(self, client: DBOSClient, url: str) -> None:
        self._client = client
        self._url = url.replace("postgresql://", "postgresql+psycopg://", 1)

    def call(self, sent: float) -> None:
        self._client.enqueue(OPTIONS, sent)

    async def one(self, caller: int, sent: float) -> None:
        self.call(sent)

    async def many(self, n: int) -> None:
        """There is no bulk enqueue: a thousand to a transaction."""
        engine = sqlalchemy.create_engine(self._url)
        given = options(n, priority="priority", unique_key="deduplication_id")
        for first in range(0, n, CHUNK):
            with engine.begin() as connection:
                for each in given[first : first + CHUNK]:
                    self._client.enqueue_in_transaction(connection, OPTIONS | each, 0.0)


class DbosScript(BlockingScript, PsycopgScript):
    package = "dbos"
    done = (
        "select count(*), max(updated_at)::float8 / 1000 from dbos.workflow_status where status = 'SUCCESS'"
    )
    left = "select count(*) from dbos.workflow_status where status <> 'SUCCESS'"
    is_empty = "select not exists (select from dbos.workflow_status where status <> 'SUCCESS')"

    async def prepare(self, url: str) -> None:
        configure(url)
        await launch()
        DBOS.destroy()

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        client = DBOSClient(system_database_url=url, system_database_pool_size=POOL)
        yield Client(client, url)
        client.destroy()

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        _handled.append(handled)
        configure(url)
        await handled.begin()
        await launch()
        await stop.wait()
        DBOS.destroy(workflow_completion_timeout_sec=5)


if __name__ == "__main__":
    main(DbosScript())
