"""Jobs of one call spread over time, chunk by chunk."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import ready_jobs, the_job
from tests.sql.conftest import Clock


async def test_chunks_come_due_one_after_the_other(conn: Connection, clock: Clock) -> None:
    start = await clock.now()
    jobs = await ready_jobs(conn, 7, stagger={"every": 60, "chunk": 3})
    rows = [await the_job(conn, job) for job in jobs]
    assert [row["state"] for row in rows] == ["ready"] * 3 + ["scheduled"] * 4
    waits = [round((row["due_at"] - start) / timedelta(seconds=60)) for row in rows[3:]]
    assert waits == [1, 1, 1, 2]


async def test_a_later_delay_wins_over_the_stagger(conn: Connection, clock: Clock) -> None:
    start = await clock.now()
    jobs = await ready_jobs(conn, 2, stagger={"every": 60, "chunk": 1}, delay=90)
    waits = [round(((await the_job(conn, job))["due_at"] - start).total_seconds()) for job in jobs]
    assert waits == [90, 90]


async def test_staggered_jobs_become_ready_as_time_goes(conn: Connection, clock: Clock) -> None:
    await ready_jobs(conn, 6, stagger={"every": 10, "chunk": 2})
    ready = "select count(*) from holdfast.jobs where state = 'ready'"
    for expected in [2, 4, 6]:
        await conn.execute("select holdfast.promote_jobs()")
        assert await conn.fetchval(ready) == expected
        await clock.advance(timedelta(seconds=10))
