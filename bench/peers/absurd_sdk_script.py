"""absurd-sdk under test: its asynchronous worker, claims of 100, polling 20 times a second when idle."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from absurd_sdk import AsyncAbsurd
from absurdctl import BUNDLED_SCHEMA_SQL

from bench.peers.on_psycopg import PsycopgScript
from bench.peers.script import Handled, main, unique_keys, until_stopped

BATCH = 100
POLL_SECONDS = 0.05
CHUNK = 1000


class Client:
    """A connection for each caller, since one serves one call at a time."""

    def __init__(self, connections: list[Any]) -> None:
        self._connections = connections
        self._apps = [_application(connection) for connection in connections]

    async def one(self, caller: int, sent: float) -> None:
        await self._apps[caller].spawn("noop", {"n": sent})

    async def many(self, n: int) -> None:
        """There is no bulk enqueue: a thousand to a transaction."""
        keys: Sequence[str | None] = unique_keys(n) or [None] * n
        for first in range(0, n, CHUNK):
            async with self._connections[0].transaction():
                for key in keys[first : first + CHUNK]:
                    await self._apps[0].spawn("noop", {"n": 0.0}, idempotency_key=key)


def _application(connection: Any, handled: Handled | None = None) -> Any:
    app = AsyncAbsurd(connection, queue_name="bench")
    note = handled or (lambda _: None)

    @app.register_task("noop")
    async def noop(params: Any, _: Any) -> None:
        note(params["n"])

    return app


class AbsurdScript(PsycopgScript):
    package = "absurd-sdk"
    done = (
        "select count(*), extract(epoch from max(completed_at))::float8 from absurd.r_bench"
        " where state = 'completed'"
    )
    left = "select count(*) from absurd.r_bench where state <> 'completed'"
    is_empty = "select not exists (select from absurd.r_bench where state <> 'completed')"

    async def prepare(self, url: str) -> None:
        connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
        await connection.execute(BUNDLED_SCHEMA_SQL)
        await _application(connection).create_queue()
        await connection.close()

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        connections = [await psycopg.AsyncConnection.connect(url, autocommit=True) for _ in range(callers)]
        yield Client(connections)
        for connection in connections:
            await connection.close()

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
        app = _application(connection, handled)
        await handled.begin()
        running = await until_stopped(app.start_worker(concurrency=BATCH, poll_interval=POLL_SECONDS), stop)
        app.stop_worker()
        await running
        await connection.close()


if __name__ == "__main__":
    main(AbsurdScript())
