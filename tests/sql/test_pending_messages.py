"""What a worker with an access key could claim now."""

from uuid import UUID

import pytest_asyncio

from holdfast.db.connect import Connection
from tests.builders import a_queue, ready_job, refusal, running_job
from tests.sql.access_keys import a_key
from tests.sql.messages import CLAIM, END, claim, pending


@pytest_asyncio.fixture(loop_scope="session")
async def key(conn: Connection) -> UUID:
    return await a_key(conn, "worker")


async def test_pending_messages_come_by_priority_then_by_age(conn: Connection, key: UUID) -> None:
    for name, priority in (("b", 50), ("c", 50), ("a", 90), ("d", 10)):
        await ready_job(conn, unique_key=name, priority=priority, queue="x" if name == "c" else "y")
    assert await pending(conn, key) == ["a", "b", "c", "d"]
    assert await pending(conn, key, limit=2) == ["a", "b"]


async def test_pending_leaves_out_what_could_not_be_claimed(conn: Connection, key: UUID) -> None:
    await conn.execute(
        "select holdfast.declare_endpoint('down', '{}'), holdfast.declare_endpoint('up', '{}')"
    )
    await a_queue(conn, "full", max_concurrent=1)
    await running_job(conn, queue="full")
    await ready_job(conn, queue="full", unique_key="limited")
    await ready_job(conn, unique_key="grouped", group="gpu")
    await ready_job(conn, unique_key="refused", endpoint="down")
    await ready_job(conn, unique_key="called", endpoint="up")
    await conn.execute("select holdfast.open_endpoint('down')")
    assert await pending(conn, key) == ["called"]
    assert await pending(conn, key, group="gpu") == ["grouped", "called"]
    assert not await claim(conn, key, "w", "grouped")
    assert await claim(conn, key, "w", "grouped", group="gpu")


async def test_a_key_sees_the_messages_of_its_scope_only(conn: Connection) -> None:
    scoped = await a_key(conn, "worker", "two", name="scoped", queues=["mine"], tasks=["reply"])
    await ready_job(conn, queue="mine", task="reply", unique_key="in")
    await ready_job(conn, queue="mine", task="other", unique_key="task")
    await ready_job(conn, queue="theirs", task="reply", unique_key="queue", unique_scope="elsewhere")
    assert await pending(conn, scoped) == ["in"]
    for outside in ("task", "queue", "nothing"):
        assert (await refusal(conn, CLAIM, scoped, None, outside, None)).sqlstate == "HF004"
        assert (await refusal(conn, END, scoped, None, outside, "complete")).sqlstate == "HF004"
    assert await claim(conn, scoped, None, "in")
