"""The faults of the proxy, as a client of PostgreSQL sees them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import asyncpg
import pytest

from chaos.fault_proxy import FaultProxy
from chaos.postgres_proxy import proxied_postgres
from holdfast.db.worker import settle_and_claim
from holdfast.model.error import HoldfastError
from holdfast.model.id import WorkerId
from tests.builders import a_worker, ready_job

Client = tuple[FaultProxy, "asyncpg.Connection[asyncpg.Record]"]


@pytest.fixture
async def client(database_url: str) -> AsyncIterator[Client]:
    async with proxied_postgres(database_url) as (proxy, url):
        conn = await asyncpg.connect(url)
        yield proxy, conn
        conn.terminate()


async def test_a_proxy_without_faults_is_not_noticed(client: Client) -> None:
    proxy, conn = client
    assert await conn.fetchval("select 1") == 1
    assert proxy.connections == 1


@pytest.mark.parametrize(("up", "down"), [(True, True), (True, False), (False, True)])
async def test_a_partition_gives_no_answer_until_it_is_healed(client: Client, up: bool, down: bool) -> None:
    proxy, conn = client
    proxy.partition(to_server=up, to_client=down)
    asked = asyncio.create_task(conn.fetchval("select 1"))
    while proxy.held == 0:
        await asyncio.sleep(0.01)
    assert not asked.done()
    proxy.heal()
    assert await asked == 1


async def test_what_is_sent_into_a_loss_of_answers_alone_is_carried_out(
    client: Client, database_url: str
) -> None:
    proxy, conn = client
    await conn.execute("create table seen (n integer)")
    proxy.partition(to_server=False)
    asked = asyncio.create_task(conn.execute("insert into seen values (1)"))
    other = await asyncpg.connect(database_url)
    while not await other.fetchval("select count(*) from seen"):
        assert not asked.done()
    await other.close()
    proxy.heal()
    await asked


async def test_a_lost_answer_breaks_the_connection_after_the_commit(
    client: Client, database_url: str
) -> None:
    proxy, conn = client
    await conn.execute("create table seen (n integer)")
    proxy.lose_answers(1)
    with pytest.raises((asyncpg.PostgresError, OSError)):
        await conn.execute("insert into seen values (1)")
    other = await asyncpg.connect(database_url)
    assert (await other.fetchval("select count(*) from seen"), proxy.answers_lost) == (1, 1)
    await other.close()


async def test_the_answer_to_a_mere_question_is_not_lost(client: Client) -> None:
    """The client asks again. The answer to a verb is another matter."""
    proxy, conn = client
    proxy.lose_answers(1)
    assert await conn.fetchval("select $1::integer", 1) == 1
    assert await conn.fetch("select id from holdfast.jobs") == []
    with pytest.raises((asyncpg.PostgresError, OSError)):
        await conn.fetchval("select holdfast.enqueue('task', '{}'::json)")
    assert proxy.answers_lost == 1


@pytest.mark.parametrize("has_job", [True, False])
async def test_the_answer_to_a_claim_is_lost_only_if_there_is_a_job_in_it(
    client: Client, has_job: bool
) -> None:
    proxy, conn = client
    worker = await a_worker(conn)
    if has_job:
        await ready_job(conn)
    proxy.lose_answers(1)
    with suppress(HoldfastError):
        await settle_and_claim(conn, WorkerId(worker), 1, [], [], [])
    assert proxy.answers_lost == has_job


async def test_what_was_half_open_stays_so_when_other_faults_end(client: Client) -> None:
    proxy, conn = client
    assert proxy.half_open() == 1
    proxy.restore()
    with pytest.raises(TimeoutError):
        await conn.fetchval("select 1", timeout=0.2)
    assert proxy.connections == 1


async def test_an_answer_inside_a_transaction_is_not_the_one_that_gets_lost(client: Client) -> None:
    proxy, conn = client
    transaction = conn.transaction()
    await transaction.start()
    proxy.lose_answers(1)
    assert await conn.fetchval("select 1") == 1
    with pytest.raises((asyncpg.PostgresError, OSError)):
        await transaction.commit()


async def test_a_half_open_connection_is_silent_and_broken_when_it_is_healed(client: Client) -> None:
    proxy, conn = client
    assert proxy.half_open() == 1
    with pytest.raises(TimeoutError):
        await conn.fetchval("select 1", timeout=0.2)
    proxy.heal()
    assert proxy.connections == 0


async def test_a_reset_is_seen_at_once(client: Client) -> None:
    proxy, conn = client
    assert proxy.reset() == 1
    with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
        await conn.fetchval("select 1")


async def test_a_delay_slows_each_direction(client: Client) -> None:
    proxy, conn = client
    proxy.delay(0.1)
    before = asyncio.get_running_loop().time()
    assert await conn.fetchval("select 1") == 1
    assert asyncio.get_running_loop().time() - before >= 0.2, "there and back"
    assert proxy.delayed >= 2
