"""Jobs that ended lately."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import complete, completed_job, dead_job, ready_job, refusal, running_job
from tests.sql.conftest import Clock

ENDS = "select * from holdfast.recent_ends($1, $2)"


async def test_the_newest_end_comes_first(conn: Connection, clock: Clock) -> None:
    early = await running_job(conn, task="enqueued first", queue="a")
    await dead_job(conn, task="dead", queue="b")
    await ready_job(conn, task="live", queue="c")
    await clock.advance(timedelta(seconds=5))
    assert await complete(conn, early)
    rows = await conn.fetch(ENDS, 10, None)
    assert [(row["task"], row["state"]) for row in rows] == [
        ("enqueued first", "completed"),
        ("dead", "dead"),
    ]
    assert rows[0]["ran"] >= timedelta(seconds=5)
    assert [row["task"] for row in await conn.fetch(ENDS, 1, None)] == ["enqueued first"]


async def test_queues_limit_them(conn: Connection) -> None:
    await completed_job(conn, task="mine", queue="mine")
    await completed_job(conn, task="other", queue="other")
    assert [row["task"] for row in await conn.fetch(ENDS, 10, ["mine", "none"])] == ["mine"]
    assert await conn.fetch(ENDS, 10, []) == []


async def test_a_negative_number_is_refused(conn: Connection) -> None:
    assert (await refusal(conn, ENDS, -1, None)).sqlstate == "HF002"
