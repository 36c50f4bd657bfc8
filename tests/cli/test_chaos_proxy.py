"""The link of chaos: each of its faults, seen by a client of PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import asyncpg
import pytest

from holdfast.cli.chaos.proxy import Link
from holdfast.db.worker import settle_and_claim
from holdfast.model.error import HoldfastError
from holdfast.model.id import WorkerId
from tests.builders import a_worker, ready_job
from tests.proof.linked import linked

Client = tuple[Link, "asyncpg.Connection[asyncpg.Record]"]


@pytest.fixture
async def client(database_url: str) -> AsyncIterator[Client]:
    async with linked(database_url) as (link, url):
        conn = await asyncpg.connect(url)
        yield link, conn
        conn.terminate()


async def test_an_untouched_link_is_not_noticed(client: Client) -> None:
    link, conn = client
    assert await conn.fetchval("select 1") == 1
    assert link.connections == 1


@pytest.mark.parametrize(("up", "down"), [(True, True), (True, False), (False, True)])
async def test_a_cut_link_gives_no_answer_until_it_is_healed(client: Client, up: bool, down: bool) -> None:
    link, conn = client
    link.cut(up=up, down=down)
    asked = asyncio.create_task(conn.fetchval("select 1"))
    while link.held == 0:
        await asyncio.sleep(0.01)
    assert not asked.done()
    link.heal()
    assert await asked == 1


async def test_what_is_sent_into_a_loss_of_answers_alone_is_carried_out(
    client: Client, database_url: str
) -> None:
    link, conn = client
    await conn.execute("create table seen (n integer)")
    link.cut(up=False)
    asked = asyncio.create_task(conn.execute("insert into seen values (1)"))
    other = await asyncpg.connect(database_url)
    while not await other.fetchval("select count(*) from seen"):
        assert not asked.done()
    await other.close()
    link.heal()
    await asked


async def test_a_lost_answer_breaks_the_connection_after_the_commit(
    client: Client, database_url: str
) -> None:
    link, conn = client
    await conn.execute("create table seen (n integer)")
    link.lose_answers(1)
    with pytest.raises((asyncpg.PostgresError, OSError)):
        await conn.execute("insert into seen values (1)")
    other = await asyncpg.connect(database_url)
    assert (await other.fetchval("select count(*) from seen"), link.answers_lost) == (1, 1)
    await other.close()


async def test_the_answer_to_a_mere_question_is_not_lost(client: Client) -> None:
    """Nobody would miss it: it is asked again. The answer to a verb is another matter."""
    link, conn = client
    link.lose_answers(1)
    assert await conn.fetchval("select $1::integer", 1) == 1
    assert await conn.fetch("select id from holdfast.jobs") == []
    with pytest.raises((asyncpg.PostgresError, OSError)):
        await conn.fetchval("select holdfast.enqueue('task', '{}'::json)")
    assert link.answers_lost == 1


@pytest.mark.parametrize("has_job", [True, False])
async def test_the_answer_to_a_claim_is_lost_only_if_there_is_a_job_in_it(
    client: Client, has_job: bool
) -> None:
    link, conn = client
    worker = await a_worker(conn)
    if has_job:
        await ready_job(conn)
    link.lose_answers(1)
    with suppress(HoldfastError):
        await settle_and_claim(conn, WorkerId(worker), 1, [], [], [])
    assert link.answers_lost == has_job


async def test_what_was_half_open_stays_so_when_other_harm_is_mended(client: Client) -> None:
    link, conn = client
    assert link.half_open() == 1
    link.mend()
    with pytest.raises(TimeoutError):
        await conn.fetchval("select 1", timeout=0.2)
    assert link.connections == 1


async def test_an_answer_inside_a_transaction_is_not_the_one_that_gets_lost(client: Client) -> None:
    link, conn = client
    transaction = conn.transaction()
    await transaction.start()
    link.lose_answers(1)
    assert await conn.fetchval("select 1") == 1
    with pytest.raises((asyncpg.PostgresError, OSError)):
        await transaction.commit()


async def test_a_half_open_connection_is_silent_and_broken_when_it_is_healed(client: Client) -> None:
    link, conn = client
    assert link.half_open() == 1
    with pytest.raises(TimeoutError):
        await conn.fetchval("select 1", timeout=0.2)
    link.heal()
    assert link.connections == 0


async def test_a_reset_is_seen_at_once(client: Client) -> None:
    link, conn = client
    assert link.reset() == 1
    with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
        await conn.fetchval("select 1")


async def test_a_slow_link_takes_its_time(client: Client) -> None:
    link, conn = client
    link.slow_down(0.1)
    before = asyncio.get_running_loop().time()
    assert await conn.fetchval("select 1") == 1
    assert asyncio.get_running_loop().time() - before >= 0.2, "there and back"
    assert link.delayed >= 2
