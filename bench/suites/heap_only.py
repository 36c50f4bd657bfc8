"""How many updates of an endpoint's row are heap-only, with ten connections on one endpoint."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import asyncpg

from bench.result import OURS, Results
from bench.server import fresh_database
from bench.turns import Drain
from holdfast.db.migrate import migrate

VERSION = version("holdfast-queue")
CONNECTIONS = 10
SECONDS = 6.0
COUNTS = (
    "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relid = 'holdfast.endpoints'::regclass"
)


@dataclass(frozen=True, slots=True)
class Load:
    """How long a call takes, and whether another session keeps a snapshot open all the time."""

    name: str
    call: float
    snapshot_is_held: bool


LOADS = (
    Load("calls_of_100_ms", 0.1, snapshot_is_held=False),
    Load("calls_of_no_time", 0.0, snapshot_is_held=False),
    Load("snapshot_held", 0.1, snapshot_is_held=True),
)


def heap_only(results: Results, url: str) -> None:
    for load in LOADS:
        with fresh_database(url, "bench_heap_only") as database:
            share = asyncio.run(_share(database, load))
        results.add(OURS, VERSION, f"heap_only_{load.name}", "% of updates", share)


async def _share(url: str, load: Load) -> float:
    """In percent, while others have short transactions of their own."""
    async with AsyncExitStack() as stack:
        owner, *workers = [await stack.enter_async_context(_connected(url)) for _ in range(CONNECTIONS + 1)]
        await _prepare(owner)
        drains = [Drain(connection, f"queue-{number}") for number, connection in enumerate(workers)]
        for drain in drains:
            await drain.prepare({"endpoint": "model"}, jobs=2000)
        others = [await stack.enter_async_context(_connected(url)) for _ in range(2)]
        span = SECONDS if load.snapshot_is_held else 0.02
        until = asyncio.get_running_loop().time() + SECONDS
        before = await _counts(owner)
        async with asyncio.TaskGroup() as group:
            for drain in drains:
                group.create_task(_call(drain, load.call, until))
            for other in others:
                group.create_task(_look(other, span, until))
        for worker in workers:
            await worker.execute("select pg_stat_force_next_flush()")
        after = await _counts(owner)
    return 100.0 * (after[1] - before[1]) / (after[0] - before[0])


async def _prepare(owner: "asyncpg.Connection[Any]") -> None:
    await migrate(owner)
    await owner.execute("select holdfast.make_partitions()")
    await owner.execute('select holdfast.declare_endpoint(\'model\', \'{"mode": "fixed", "max": 64}\')')


async def _call(drain: Drain, seconds: float, until: float) -> None:
    while asyncio.get_running_loop().time() < until:
        # A claim passes over an endpoint that another session has locked, and may find no other job.
        if not await drain.turn_if_any():
            await asyncio.sleep(0.005)
        await asyncio.sleep(seconds)


async def _look(connection: "asyncpg.Connection[Any]", span: float, until: float) -> None:
    """Transactions that keep a snapshot for a moment, as reports and foreign work do."""
    while asyncio.get_running_loop().time() < until:
        async with connection.transaction(isolation="repeatable_read"):
            await connection.fetchval("select pg_current_xact_id()")
            await asyncio.sleep(span)
        await asyncio.sleep(span)


async def _counts(connection: "asyncpg.Connection[Any]") -> tuple[int, int]:
    await connection.execute("select pg_stat_clear_snapshot()")
    row = await connection.fetchrow(COUNTS)
    return (0, 0) if row is None else (row["n_tup_upd"], row["n_tup_hot_upd"])


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator["asyncpg.Connection[Any]"]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()
