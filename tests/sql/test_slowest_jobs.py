"""The jobs whose last attempt ran longest."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import a_worker, cancelled_job, claim_one, complete, ready_job, refusal
from tests.sql.conftest import Clock

SLOWEST = "select * from holdfast.slowest_jobs('1 hour', $1)"


async def took(conn: Connection, clock: Clock, task: str, seconds: int) -> None:
    worker = await a_worker(conn, lease=timedelta(days=1))
    await ready_job(conn, task=task)
    job = await claim_one(conn, worker)
    await clock.advance(timedelta(seconds=seconds))
    assert await complete(conn, job)


async def test_the_slowest_come_first(conn: Connection, clock: Clock) -> None:
    for task, seconds in (("quick", 1), ("slow", 50), ("slower", 90)):
        await took(conn, clock, task, seconds)
    await cancelled_job(conn, task="never ran")
    rows = await conn.fetch(SLOWEST, 2)
    assert [(row["task"], row["state"], row["attempt"]) for row in rows] == [
        ("slower", "completed", 1),
        ("slow", "completed", 1),
    ]
    assert timedelta(seconds=90) <= rows[0]["ran"] < timedelta(seconds=150)
    assert not rows[0]["is_partial"]
    assert [row["task"] for row in await conn.fetch(SLOWEST, 10)] == ["slower", "slow", "quick"]


async def test_only_jobs_of_the_period_count(conn: Connection, clock: Clock) -> None:
    await took(conn, clock, "old", 90)
    before = await clock.now()
    await clock.advance(timedelta(hours=2))
    await took(conn, clock, "new", 1)
    assert [row["task"] for row in await conn.fetch(SLOWEST, 10)] == ["new"]
    then = await conn.fetch("select task from holdfast.slowest_jobs('1 hour', 10, $1)", before)
    assert [row["task"] for row in then] == ["old"]


async def test_a_negative_number_is_refused(conn: Connection) -> None:
    assert (await refusal(conn, SLOWEST, -1)).sqlstate == "HF002"
