"""Jobs that were enqueued or began while their limit was being set are found."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, ready_jobs
from tests.sql.limits.scene import a_task, lane_tasks

SETTLE = "select holdfast.settle_limits()"
IS_SETTLED = "select is_settled from holdfast.limits"
LATER = "update holdfast.limits set changed_at = changed_at - interval '61 seconds'"


@pytest.fixture
async def two(database_url: str) -> AsyncIterator[tuple[Connection, Connection]]:
    one, other = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    yield one, other
    await one.close()
    await other.close()


async def test_running_jobs_are_marked_and_counted_by_the_mark_from_then_on(
    two: tuple[Connection, Connection],
) -> None:
    conn, _ = two
    await ready_jobs(conn, 5)
    worker = await a_worker(conn)
    await claim(conn, worker, 2)
    await a_queue(conn, max_concurrent=3)
    assert await conn.fetchval(SETTLE) == 2
    assert not await conn.fetchval(IS_SETTLED), "a statement that began before may still be under way"
    await settled(conn)
    assert len(await claim(conn, worker, 10)) == 1


async def test_a_job_enqueued_by_a_transaction_that_did_not_know_of_the_limit_comes_to_its_lane(
    two: tuple[Connection, Connection],
) -> None:
    conn, producer = two
    open_transaction = producer.transaction()
    await open_transaction.start()
    jobs = await ready_jobs(producer, 3, task="heavy")
    await a_task(conn, "heavy", max_concurrent=1)
    await conn.execute(LATER)
    for _ in range(3):
        await conn.execute(SETTLE)
    assert not await conn.fetchval(IS_SETTLED)
    await open_transaction.commit()
    await conn.execute(SETTLE)
    assert await lane_tasks(conn, *jobs) == ["heavy"] * 3
    await settled(conn)
    assert len(await claim(conn, await a_worker(conn), 10)) == 1


async def settled(conn: Connection) -> None:
    await conn.execute(LATER)
    for _ in range(20):
        await conn.execute(SETTLE)
        if await conn.fetchval(IS_SETTLED):
            return
    raise AssertionError("it never settles")
