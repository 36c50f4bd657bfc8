"""The featureless loop: claim and delete, with no history, fencing or states; COPY fills its table."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from bench.peers.bare_settle_script import BATCH, CONNECTIONS
from bench.peers.on_asyncpg import AsyncpgScript
from bench.peers.script import Count, Handled, main

CLAIM_AND_DELETE = """
delete from bare
where id = any (array(select id from bare order by id limit $1 for update skip locked))
returning payload
"""


class Client:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def one(self, caller: int, sent: float) -> None:
        await self._connection.execute("insert into bare (payload) values ($1)", f'{{"n": {sent}}}')

    async def many(self, n: int) -> None:
        records = [('{"n": 0}',)] * n
        await self._connection.copy_records_to_table("bare", columns=["payload"], records=records)


class BareDeleteScript(AsyncpgScript):
    package = "asyncpg"
    is_empty = "select not exists (select from bare)"

    async def prepare(self, url: str) -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(
            "create table bare (id bigint generated always as identity primary key, payload json not null)"
        )
        await connection.close()

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        connection = await asyncpg.connect(url)
        yield Client(connection)
        await connection.close()

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        connections = [await asyncpg.connect(url) for _ in range(CONNECTIONS)]
        await handled.begin()
        await asyncio.gather(*(_turns(connection, handled, stop) for connection in connections))

    async def count(self, url: str) -> Count:
        """What is done leaves no trace: those that were given a number and are gone."""
        (left,) = await self.fetch(url, "select count(*) from bare")
        (given,) = await self.fetch(url, "select coalesce(max(last_value), 0) from pg_sequences")
        return Count(given - left, left)


async def _turns(connection: Any, handled: Handled, stop: asyncio.Event) -> None:
    while not stop.is_set():
        rows = await connection.fetch(CLAIM_AND_DELETE, BATCH)
        handled.count += len(rows)
        if rows:
            handled.more["last"] = time.time()
        else:
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    main(BareDeleteScript())
