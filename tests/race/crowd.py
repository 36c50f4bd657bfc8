"""Connections that race, and how their turns are arranged: one holds its transaction, the other comes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import asyncpg

from holdfast.db.connect import Connection
from tests.machine.session import EMPTY
from tests.patience import PATIENCE

T = TypeVar("T")
Act = Callable[[Connection], Awaitable[T]]

BLOCKED = "select cardinality(pg_blocking_pids($1)) > 0"


@dataclass(slots=True)
class Crowd:
    url: str
    watcher: Connection
    joined: list[Connection] = field(default_factory=list)

    async def join(self) -> Connection:
        conn = await asyncpg.connect(self.url)
        # Beyond any wait that is meant: a race must not end in a wait that nobody sees.
        await conn.execute("set lock_timeout = '120s'")
        self.joined.append(conn)
        return conn

    async def forget(self) -> None:
        """Empties the database, so that no sweep meets what an earlier scene left."""
        await self.watcher.execute(EMPTY)

    async def interleave(self, first: Act[T], second: Act[T], *, commit: bool) -> tuple[T, T]:
        """The first acts and does not commit; the second waits for it or passes; then the first ends."""
        holder, comer = await self.join(), await self.join()
        transaction = holder.transaction()
        await transaction.start()
        result = await first(holder)
        coming = asyncio.ensure_future(second(comer))
        await self.until_waits_or_passes(comer, coming)
        await (transaction.commit() if commit else transaction.rollback())
        return result, await coming

    async def until_waits_or_passes(self, conn: Connection, acting: "asyncio.Future[T]") -> None:
        pid = conn.get_server_pid()
        async with asyncio.timeout(PATIENCE):
            while not acting.done() and not await self.watcher.fetchval(BLOCKED, pid):
                await asyncio.sleep(0.002)


@asynccontextmanager
async def watched(look: Callable[[], Awaitable[None]], every: float, least: int = 10) -> AsyncIterator[None]:
    """Looks again and again during the block; a race that was hardly looked at proves nothing."""
    over = asyncio.Event()
    watching = asyncio.create_task(_count_looks(look, every, over))
    try:
        yield
    finally:
        over.set()
        looks = await watching
    assert looks > least


async def _count_looks(look: Callable[[], Awaitable[None]], every: float, over: asyncio.Event) -> int:
    looks = 0
    while not over.is_set():
        await look()
        looks += 1
        await asyncio.sleep(every)
    return looks


@asynccontextmanager
async def emptied(url: str) -> AsyncIterator[Crowd]:
    watcher = await asyncpg.connect(url)
    await watcher.execute(EMPTY)
    crowd = Crowd(url, watcher)
    try:
        yield crowd
    finally:
        for conn in [*crowd.joined, watcher]:
            await conn.close()
