"""A database that is slow, locked, read-only or full up with connections: slower, and nobody is robbed."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID, uuid4

import asyncpg
import pytest

from chaos.postgres_proxy import proxied_postgres
from holdfast.db.invariants import check_invariants
from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World

Start = Callable[..., WorkerProcess]
COUNT = 20
LEASE = 10  # nobody may be robbed here, so it is a long one
ENDS = """
select w.lease_until from holdfast.workers as w join holdfast.jobs as j on j.worker_id = w.id where j.id = $1
"""


@pytest.mark.parametrize("table", ["jobs", pytest.param("workers", marks=pytest.mark.slow)])
async def test_a_locked_table_delays_and_costs_no_worker_its_jobs(
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


@pytest.mark.slow
async def test_a_tight_statement_timeout_delays_and_costs_no_worker_its_jobs(
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
async def test_a_database_that_answers_slowly_costs_no_worker_its_jobs(
    here: World, database_url: str, start: Start
) -> None:
    """For less than half of a lease: every answer takes longer than a renewal waits for one."""
    (job,) = await here.enqueue("nap", {"seconds": LEASE * 0.5})
    async with proxied_postgres(database_url) as (proxy, url):
        start(url, slots=1, lease=LEASE)
        await until(here.has_calls(1))
        start(database_url, slots=1, lease=LEASE)
        ends = await here.conn.fetchval(ENDS, job)
        proxy.delay(LEASE * 0.2)  # in each direction
        await asyncio.sleep(LEASE * 0.45)
        assert await here.conn.fetchval(ENDS, job) == ends, "it was renewed all the same: not slow enough"
        proxy.delay(0)
        await until(here.reaches(completed=1))
    await assert_unharmed(here, [job])


@pytest.mark.slow
async def test_a_read_only_database_delays_and_loses_nothing(
    here: World, database_url: str, start: Start
) -> None:
    name = urlsplit(database_url).path.lstrip("/")
    start(database_url, slots=4, lease=LEASE)
    ids = await here.enqueue("rest", *({"seconds": 0.2} for _ in range(COUNT)))
    await until(lambda: some_run(here))
    await here.conn.execute(f"alter database {name} set default_transaction_read_only = on")
    await throw_out(here, "datname", name)
    await asyncio.sleep(1)  # meanwhile nothing can be written
    # The sessions since then stay read-only, as on a server that is a standby now: workers replace them.
    await here.conn.execute(f"alter database {name} reset default_transaction_read_only")
    await until(here.reaches(completed=COUNT))
    await assert_unharmed(here, ids)


@pytest.mark.slow
async def test_a_worker_that_lost_its_connections_waits_for_free_ones(
    here: World, database_url: str, start: Start
) -> None:
    """Its role has none left, which is refused with the same error as by a server that has none."""
    async with a_role(here) as role:
        ids = await here.enqueue("rest", *({"seconds": 0.2} for _ in range(COUNT)))
        parts = urlsplit(database_url)
        worker = start(urlunsplit(parts._replace(netloc=f"{role}@")), slots=4, lease=LEASE)
        await until(lambda: some_run(here))
        await here.conn.execute(f"alter role {role} connection limit 0")
        assert await throw_out(here, "usename", role) > 0
        await asyncio.sleep(1)  # it is refused meanwhile, and must not give up
        assert not worker.has_ended
        await here.conn.execute(f"alter role {role} connection limit -1")
        await until(here.reaches(completed=COUNT))
        await assert_unharmed(here, ids)
        worker.signal(signal.SIGTERM)
        assert (await worker.ended())[0] == 0


@asynccontextmanager
async def a_role(here: World) -> AsyncIterator[str]:
    """Who may work and is no superuser: those always get a connection."""
    name = f"test_{uuid4().hex}"
    await here.conn.execute(f"create role {name} login in role holdfast_worker, holdfast_producer")
    try:
        yield name
    finally:
        await throw_out(here, "usename", name)
        await here.conn.execute(f"drop role {name}")


async def some_run(here: World) -> bool:
    return "running" in await here.counts()


async def assert_unharmed(here: World, ids: list[UUID]) -> None:
    jobs = await here.conn.fetch("select losses, failures from holdfast.history")
    assert [(job["losses"], job["failures"]) for job in jobs] == [(0, 0)] * len(ids)
    assert await here.violations() == {}
    assert await check_invariants(here.conn) == []


async def throw_out(here: World, column: str, value: str) -> int:
    """Ends the sessions of that database or role, but this one; how many there were."""
    ended = await here.conn.fetch(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        f" where {column} = $1 and pid <> pg_backend_pid()",
        value,
    )
    return len(ended)


@asynccontextmanager
async def in_the_way(url: str, statement: str) -> AsyncIterator[None]:
    conn = await asyncpg.connect(url, server_settings={"statement_timeout": "0"})
    try:
        async with conn.transaction():
            await conn.execute(statement)
            yield
    finally:
        await conn.close()
