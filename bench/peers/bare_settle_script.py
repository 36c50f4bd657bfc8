"""The ceiling: our own statements in a bare loop, without handlers, on a worker's number of connections."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import asyncpg

from bench.peers.holdfast_script import SLOTS, HoldfastScript
from bench.peers.script import Handled, main

CONNECTIONS = 2
BATCH = SLOTS // 2  # a worker asks for half of its slots at a time
CHUNK = 1_000
TURN = "select job_id, token from holdfast.settle_and_claim($1, $2, $3, $4, $5, $6, $7) where kind = 'job'"
ENQUEUE = "select job_id, created from holdfast.enqueue_jobs(array['noop'], $1::text[]::json[])"


class BareSettleScript(HoldfastScript):
    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Any]:
        connection = await asyncpg.connect(url)
        yield _Client(connection)
        await connection.close()

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        worker = uuid4()
        connections = [await asyncpg.connect(url) for _ in range(CONNECTIONS)]
        await connections[0].execute(
            "select holdfast.register_worker($1, array['default'], '{\"lease\": 3600}')", worker
        )
        await handled.begin()
        await asyncio.gather(*(_turns(connection, worker, handled, stop) for connection in connections))


class _Client:
    """Only many at once, all with the same payload: nothing but the statement takes time."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def many(self, n: int) -> None:
        async with self._connection.transaction():
            for first in range(0, n, CHUNK):
                await self._connection.fetch(ENQUEUE, ['{"n":0.0}'] * min(CHUNK, n - first))


async def _turns(connection: Any, worker: Any, handled: Handled, stop: asyncio.Event) -> None:
    """What all ends share is sent once, as a worker does."""
    held: list[Any] = []
    while held or not stop.is_set():
        ids, tokens = [row["job_id"] for row in held], [row["token"] for row in held]
        held = await connection.fetch(TURN, worker, BATCH, ids, tokens, ["complete"] if ids else [], [], [])
        handled.count += len(held)
        if not held:
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    main(BareSettleScript())
