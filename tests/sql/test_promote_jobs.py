"""scheduled -> ready, when due."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import scheduled_job, state_of, the_job
from tests.sql.conftest import Clock


async def test_only_what_is_due_becomes_ready(conn: Connection, clock: Clock) -> None:
    due = await scheduled_job(conn, timedelta(minutes=1))
    later = await scheduled_job(conn, timedelta(minutes=3))
    assert await conn.fetchval("select holdfast.promote_jobs()") == 0
    await clock.advance(timedelta(minutes=2))
    assert await conn.fetchval("select holdfast.promote_jobs()") == 1
    assert [await state_of(conn, job) for job in (due, later)] == ["ready", "scheduled"]
    row = await the_job(conn, due)
    assert row["due_at"] is None
    assert abs(row["ready_at"] - await clock.now()) < timedelta(seconds=5)


async def test_a_batch_has_its_bound_and_takes_the_oldest_first(conn: Connection, clock: Clock) -> None:
    jobs = [await scheduled_job(conn, timedelta(seconds=10 - n)) for n in range(5)]
    await clock.advance(timedelta(minutes=1))
    assert await conn.fetchval("select holdfast.promote_jobs(2)") == 2
    assert [await state_of(conn, job) for job in jobs] == ["scheduled"] * 3 + ["ready"] * 2
    assert await conn.fetchval("select holdfast.promote_jobs(100)") == 3
