"""Which job comes first."""

from datetime import timedelta
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, claim_one, ready_job, release, scheduled_job
from tests.sql.conftest import Clock


async def in_order(conn: Connection, worker: UUID) -> list[UUID]:
    claimed = []
    while jobs := await claim(conn, worker):
        claimed.append(jobs[0].id)
    return claimed


async def test_higher_priorities_come_first(conn: Connection) -> None:
    jobs = {n: await ready_job(conn, priority=n) for n in (50, 0, 100, 51)}
    assert await in_order(conn, await a_worker(conn)) == [jobs[100], jobs[51], jobs[50], jobs[0]]


async def test_within_a_priority_the_order_is_by_time_of_readiness(conn: Connection, clock: Clock) -> None:
    late = await scheduled_job(conn, timedelta(minutes=2))
    early = await scheduled_job(conn, timedelta(minutes=1))
    now = await ready_job(conn)
    worker = await a_worker(conn, lease=timedelta(days=1))
    await clock.advance(timedelta(minutes=1, seconds=1))
    await conn.execute("select holdfast.promote_jobs()")
    await clock.advance(timedelta(minutes=1))
    assert await in_order(conn, worker) == [now, early, late]


async def test_a_released_job_goes_behind_those_that_wait_longer(conn: Connection) -> None:
    first, second = await ready_job(conn), await ready_job(conn)
    worker = await a_worker(conn)
    await release(conn, await claim_one(conn, worker))
    assert await in_order(conn, worker) == [second, first]


async def test_with_ageing_waiting_makes_up_for_priority(conn: Connection, clock: Clock) -> None:
    """One point a minute: a lead of 30 points is worth half an hour."""
    await a_queue(conn, ageing=1)
    low = await ready_job(conn, priority=20)
    await clock.advance(timedelta(minutes=29))
    high = await ready_job(conn, priority=50)
    await clock.advance(timedelta(minutes=2))
    later = await ready_job(conn, priority=50)
    worker = await a_worker(conn)
    assert await in_order(conn, worker) == [high, low, later]


async def test_with_ageing_equal_waits_go_by_priority(conn: Connection) -> None:
    await a_queue(conn, ageing=0.5)
    jobs = [await ready_job(conn, priority=n) for n in (10, 90, 50)]
    assert await in_order(conn, await a_worker(conn)) == [jobs[1], jobs[2], jobs[0]]


async def test_without_ageing_waiting_changes_nothing(conn: Connection, clock: Clock) -> None:
    low = await ready_job(conn, priority=20)
    await clock.advance(timedelta(days=300))
    high = await ready_job(conn, priority=21)
    assert await in_order(conn, await a_worker(conn)) == [high, low]


async def test_jobs_from_before_a_change_of_ageing_neither_jump_the_line_nor_starve(
    conn: Connection, clock: Clock
) -> None:
    worker = await a_worker(conn, lease=timedelta(days=1))
    low = await ready_job(conn, priority=10)
    await clock.advance(timedelta(minutes=1))
    await a_queue(conn, ageing=1)
    high = await ready_job(conn, priority=90)
    assert (await claim_one(conn, worker)).id == high
    await clock.advance(timedelta(minutes=1))
    await a_queue(conn, ageing=None)
    lower = await ready_job(conn, priority=5)
    assert await in_order(conn, worker) == [low, lower]
