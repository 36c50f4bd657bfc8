"""The depth of queues by minute, for readers."""

from datetime import timedelta

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import ready_job, refusal, running_job
from tests.sql.conftest import Clock
from tests.sql.depths import sample


async def history(conn: Connection, arguments: str = "") -> list[Record]:
    return await conn.fetch(f"select * from holdfast.depth_history({arguments})")


async def grown(conn: Connection, clock: Clock) -> None:
    """Two queues: one grows by a job a minute, one has a running job."""
    await running_job(conn, queue="busy")
    for _ in range(3):
        await ready_job(conn, queue="mail")
        await sample(conn)
        await clock.advance(timedelta(minutes=1))


async def test_the_oldest_sample_comes_first(conn: Connection, clock: Clock) -> None:
    await grown(conn, clock)
    assert [(row["queue"], row["ready"], row["running"]) for row in await history(conn)] == [
        ("busy", 0, 1),
        ("mail", 1, 0),
        ("busy", 0, 1),
        ("mail", 2, 0),
        ("busy", 0, 1),
        ("mail", 3, 0),
    ]


async def test_one_queue_can_be_chosen(conn: Connection, clock: Clock) -> None:
    await grown(conn, clock)
    assert [row["ready"] for row in await history(conn, "'1 hour', 'mail'")] == [1, 2, 3]
    assert await history(conn, "'1 hour', 'none'") == []


async def test_it_reaches_back_as_far_as_asked(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    for _ in range(3):
        await sample(conn)
        await clock.advance(timedelta(minutes=30))
    assert len(await history(conn, "'75 minutes'")) == 2
    assert len(await history(conn, "'75 minutes', 'default'")) == 2
    assert len(await history(conn, "'1 day', null, 1")) == 1


async def test_the_age_of_the_oldest_ready_job_is_that_at_the_sample(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    await clock.advance(timedelta(minutes=20))
    await sample(conn)
    await clock.advance(timedelta(minutes=20))
    (row,) = await history(conn)
    assert timedelta(minutes=19) < row["oldest_age"] < timedelta(minutes=21)


async def test_a_negative_number_of_rows_is_refused(conn: Connection) -> None:
    assert (
        await refusal(conn, "select * from holdfast.depth_history('1 hour', null, -1)")
    ).sqlstate == "HF002"
