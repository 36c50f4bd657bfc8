"""A message is ended by the access key and worker of its newest claim."""

from uuid import UUID

import pytest_asyncio

from holdfast.db.connect import Connection
from tests.builders import a_queue, ready_job, state_of
from tests.sql.access_keys import a_key
from tests.sql.messages import claim, end, is_lost


@pytest_asyncio.fixture(loop_scope="session")
async def key(conn: Connection) -> UUID:
    return await a_key(conn, "worker")


async def test_a_failure_counts_and_the_message_is_pending_again(conn: Connection, key: UUID) -> None:
    await a_queue(conn, retry="chat")
    await ready_job(conn, unique_key="m")
    for _ in range(2):
        assert await claim(conn, key, "w", "m")
        assert await end(conn, key, "w", "m", "fail") in ("ready", "scheduled")
        await conn.execute("select holdfast.promote_jobs()")
    assert await claim(conn, key, "w", "m")
    assert await end(conn, key, "w", "m", "fail") == "dead"


async def test_only_the_key_and_worker_of_the_newest_claim_may_end_a_message(
    conn: Connection, key: UUID
) -> None:
    other = await a_key(conn, "worker", "two", name="other")
    job = await ready_job(conn, unique_key="m")
    assert await is_lost(conn, key, None, "m", "complete"), "nobody has claimed it"
    assert await claim(conn, key, "w1", "m")
    assert await is_lost(conn, other, "w1", "m", "complete")
    assert await is_lost(conn, key, "w2", "m", "fail")
    assert await state_of(conn, job) == "running"
    assert await end(conn, key, None, "m") == "completed", "no name was sent: the key is enough"
