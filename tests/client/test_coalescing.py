"""Concurrent enqueues share statements, and still each caller gets its own answer."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from asyncpg import Record

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.db.connect import Database
from holdfast.model.error import DatabaseError, DatabaseUnavailable, HoldfastError, InvalidPayload
from tests.patience import PATIENCE

Square = Task[[int], int]

TRANSACTIONS = "select count(distinct xmin::text) from holdfast.jobs"
STORED = "select count(*) from holdfast.jobs"


@pytest.fixture
def square(app: Holdfast) -> Square:
    @app.task()
    async def square(n: int) -> int:
        return n * n

    return square


@pytest.fixture
async def locked(database_url: str) -> AsyncIterator["asyncpg.Connection[Record]"]:
    """A connection whose transaction lets no job in until it ends."""
    conn = await asyncpg.connect(database_url)
    transaction = conn.transaction()
    await transaction.start()
    await conn.execute("lock table holdfast.jobs in exclusive mode")
    yield conn
    if conn.is_in_transaction():
        await transaction.rollback()
    await conn.close()


async def number(db: Database, query: str) -> int:
    return int((await db.fetch(query))[0][0])


async def someone_waits(db: Database) -> None:
    """Until a statement waits for the lock."""
    waiting = (
        "select count(*) from pg_locks where not granted and relation = 'holdfast.jobs'::regclass"
        " and database = (select oid from pg_database where datname = current_database())"
    )
    async with asyncio.timeout(PATIENCE):
        while not await number(db, waiting):
            await asyncio.sleep(0.01)


async def test_sixty_four_concurrent_enqueues_need_few_statements(
    app: Holdfast, square: Square, db: Database
) -> None:
    handles = await asyncio.gather(*(square.enqueue(n) for n in range(64)))
    assert await number(db, STORED) == 64
    assert await number(db, TRANSACTIONS) <= 3
    payloads = {job.id: job.payload for job in await app.jobs()}
    assert [payloads[handle.id] for handle in handles] == [{"n": n} for n in range(64)]


async def test_those_that_come_while_a_statement_is_under_way_go_with_the_next(
    square: Square, db: Database, locked: "asyncpg.Connection[Record]"
) -> None:
    first = asyncio.create_task(square.enqueue(0))
    await someone_waits(db)
    later = [asyncio.create_task(square.enqueue(n)) for n in range(1, 30)]
    await locked.execute("rollback")
    await asyncio.gather(first, *later)
    assert await number(db, TRANSACTIONS) == 2


async def test_a_caller_is_answered_only_after_the_commit(
    square: Square, db: Database, locked: "asyncpg.Connection[Record]"
) -> None:
    first = asyncio.create_task(square.enqueue(0))
    await someone_waits(db)
    assert not first.done()
    await locked.execute("rollback")
    await first
    assert await number(db, STORED) == 1


async def test_one_refused_job_does_not_fail_the_others(app: Holdfast, square: Square, db: Database) -> None:
    @app.task()
    async def keep(text: str) -> None: ...

    calls: list[Any] = [square.enqueue(n) for n in range(10)]
    calls.insert(4, keep.enqueue("x" * 300_000))
    calls.insert(7, square.options(priority=101).enqueue(99))
    answers = await asyncio.gather(*calls, return_exceptions=True)
    refused = {i: answer for i, answer in enumerate(answers) if isinstance(answer, HoldfastError)}
    assert set(refused) == {4, 7}
    assert isinstance(refused[4], InvalidPayload)
    assert "101" in str(refused[7])
    assert await number(db, STORED) == 10


async def test_an_error_of_the_server_that_one_job_causes_does_not_fail_the_others(
    square: Square, db: Database
) -> None:
    await db.execute("""
        create function public.stop() returns trigger language plpgsql
        as $$ begin raise 'not this one'; end $$;
        create trigger stop before insert on holdfast.jobs
        for each row when (new.payload ->> 'n' = '3') execute function public.stop();
    """)
    answers = await asyncio.gather(*(square.enqueue(n) for n in range(6)), return_exceptions=True)
    assert [isinstance(one, DatabaseError) for one in answers] == [n == 3 for n in range(6)]
    assert await number(db, STORED) == 5


async def test_jobs_with_different_options_share_a_statement_and_keep_their_own(
    app: Holdfast, square: Square, db: Database
) -> None:
    handles = await asyncio.gather(*(square.options(priority=n).enqueue(n) for n in range(20)))
    assert await number(db, TRANSACTIONS) <= 2
    priorities = {job.id: job.priority for job in await app.jobs()}
    assert [priorities[handle.id] for handle in handles] == [*range(20)]


async def test_a_unique_key_that_has_to_wait_does_not_hold_up_other_callers(
    square: Square, database_url: str
) -> None:
    other = await asyncpg.connect(database_url)
    transaction = other.transaction()
    await transaction.start()
    await square.using(other).options(unique_key="k").enqueue(1)
    waiting = asyncio.create_task(square.options(unique_key="k").enqueue(1))
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(square.enqueue(n) for n in range(5)))
    assert not waiting.done()
    await transaction.commit()
    assert not (await waiting).created
    await other.close()


async def test_a_caller_who_gives_up_harms_nobody(
    square: Square, db: Database, locked: "asyncpg.Connection[Record]"
) -> None:
    first = asyncio.create_task(square.enqueue(0))
    await someone_waits(db)
    others = [asyncio.create_task(square.enqueue(n)) for n in range(1, 6)]
    await asyncio.sleep(0)
    others[2].cancel()
    first.cancel()
    await locked.execute("rollback")
    answers = await asyncio.gather(first, *others, return_exceptions=True)
    assert [isinstance(one, asyncio.CancelledError) for one in answers] == [
        True,
        False,
        False,
        True,
        False,
        False,
    ]
    # The first was under way already, and its cancel may have come too late; the other never left.
    assert await number(db, STORED) in (4, 5)


async def test_a_database_that_is_away_fails_each_caller_with_an_error_of_its_own() -> None:
    app = Holdfast("postgresql://nobody@127.0.0.1:1/nowhere")

    @app.task()
    async def square(n: int) -> int:
        return n * n

    answers = await asyncio.gather(*(square.enqueue(n) for n in range(5)), return_exceptions=True)
    assert all(isinstance(answer, DatabaseUnavailable) for answer in answers)
    assert len({id(answer) for answer in answers}) == 5
    await app.close()


async def test_closing_the_app_sends_what_is_under_way(square: Square, app: Holdfast, db: Database) -> None:
    under_way = [asyncio.create_task(square.enqueue(n)) for n in range(50)]
    await asyncio.sleep(0)
    await app.close()
    await asyncio.gather(*under_way)
    assert await number(db, STORED) == 50
