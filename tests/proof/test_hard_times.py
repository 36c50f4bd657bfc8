"""A database that is slow, locked, read-only or full up with connections: slower, and nobody is robbed."""

import asyncio
import signal
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import asyncpg
import pytest

from holdfast.db.invariants import check_invariants
from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer
from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World, world

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]
COUNT = 20
LEASE = 10  # nobody may be robbed here, so it is a long one


@pytest.mark.parametrize("table", ["jobs", "workers"])
async def test_a_locked_table_delays_and_robs_nobody(
    here: World, database_url: str, start: Start, table: str
) -> None:
    """For less than half of a lease, of the jobs and of the leases themselves."""
    start(database_url, slots=4, lease=LEASE)
    ids = await here.enqueue("nap", *({"seconds": 0.2} for _ in range(COUNT)))
    await until(here.has_calls(1))
    async with in_the_way(database_url, f"lock table holdfast.{table} in access exclusive mode"):
        await asyncio.sleep(LEASE * 0.4)  # the time is the fault
    await until(here.reaches(completed=COUNT))
    await assert_unharmed(here, ids)


async def test_a_tight_statement_timeout_delays_and_robs_nobody(
    here: World, database_url: str, start: Start
) -> None:
    name = urlsplit(database_url).path.lstrip("/")
    await here.conn.execute(f"alter database {name} set statement_timeout = '300ms'")
    start(database_url, slots=4, lease=LEASE)
    ids = await here.enqueue("nap", *({"seconds": 0.2} for _ in range(COUNT)))
    await until(here.has_calls(1))
    async with in_the_way(database_url, "lock table holdfast.jobs in access exclusive mode"):
        await asyncio.sleep(1)  # long enough for every statement to be cancelled
    await until(here.reaches(completed=COUNT))
    await assert_unharmed(here, ids)


@pytest.mark.slow
async def test_a_read_only_database_delays_and_loses_nothing(
    here: World, database_url: str, start: Start
) -> None:
    name = urlsplit(database_url).path.lstrip("/")
    start(database_url, slots=4, lease=LEASE)
    ids = await here.enqueue("nap", *({"seconds": 0.2} for _ in range(COUNT)))
    await until(here.has_calls(1))
    await here.conn.execute(f"alter database {name} set default_transaction_read_only = on")
    await throw_out(here, name)
    await asyncio.sleep(1)  # meanwhile nothing can be written
    await here.conn.execute(f"alter database {name} reset default_transaction_read_only")
    await throw_out(here, name)
    await until(here.reaches(completed=COUNT), within=60)
    await assert_unharmed(here, ids)


@pytest.mark.slow
async def test_a_worker_that_lost_its_connections_waits_for_free_ones(start: Start) -> None:
    async with small_server() as (url, held), world(url) as there:
        ids = await there.enqueue("nap", *({"seconds": 0.2} for _ in range(COUNT)))
        worker = start(url, slots=2, lease=LEASE)
        await until(there.has_calls(1))
        held.extend(await all_connections(url))
        await throw_out_workers(there)
        held.extend(await all_connections(url))
        await asyncio.sleep(1)  # it is refused meanwhile, and must not give up
        assert not worker.has_ended
        for conn in held:
            await conn.close()
        held.clear()
        await until(there.reaches(completed=COUNT), within=60)
        await assert_unharmed(there, ids)
        worker.signal(signal.SIGTERM)
        assert (await worker.ended())[0] == 0


async def throw_out_workers(there: World) -> None:
    await there.conn.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'holdfast%'"
    )


async def assert_unharmed(here: World, ids: list[UUID]) -> None:
    jobs = await here.conn.fetch("select losses, failures from holdfast.history")
    assert [(job["losses"], job["failures"]) for job in jobs] == [(0, 0)] * len(ids)
    assert await here.violations() == {}
    assert await check_invariants(here.conn) == []


async def throw_out(here: World, name: str) -> None:
    await here.conn.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = $1 and pid <> pg_backend_pid()",
        name,
    )


@asynccontextmanager
async def in_the_way(url: str, statement: str) -> AsyncIterator[None]:
    conn = await asyncpg.connect(url, server_settings={"statement_timeout": "0"})
    try:
        async with conn.transaction():
            await conn.execute(statement)
            yield
    finally:
        await conn.close()


Connections = list["asyncpg.Connection[asyncpg.Record]"]


@asynccontextmanager
async def small_server() -> AsyncIterator[tuple[str, Connections]]:
    """With ten connections; those that are put into the list are closed at the end."""
    held: Connections = []
    with tempfile.TemporaryDirectory(prefix="hf-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        settings = {"max_connections": "10", "superuser_reserved_connections": "0", "fsync": "off"}
        server = EmbeddedServer(Path(directory) / "data", settings={**settings, "shared_buffers": "16MB"})
        url = server.start()
        try:
            conn = await asyncpg.connect(url)
            await migrate(conn)
            await conn.close()
            yield url, held
        finally:
            for conn in held:
                await conn.close()
            server.stop()


async def all_connections(url: str) -> Connections:
    """As many as the server still has."""
    found: Connections = []
    with suppress(asyncpg.TooManyConnectionsError):
        while True:
            found.append(await asyncpg.connect(url))
    return found
