"""Hours of an endpoint's life on the real verbs, under the fake clock."""

import random
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from uuid import UUID

import asyncpg
import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock, install_fake_clock
from tests.builders import Running, complete, fail, the_job
from tests.sql.endpoints.scene import (
    TURN,
    a_caller,
    a_fixed_endpoint,
    an_endpoint,
    calls,
    claimed,
    the_endpoint,
)

STATES = "select state, failures, deferrals from holdfast.job_view"
MOMENT = timedelta(milliseconds=1)
CALL = timedelta(seconds=10)


@pytest.fixture
async def conn(database_url: str) -> AsyncIterator[Connection]:
    """Commits: in one long transaction the clock's row would have a version for every moment."""
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.fixture
async def clock(conn: Connection) -> FakeClock:
    return await install_fake_clock(conn)


@pytest.mark.parametrize("hours", [3, pytest.param(24, marks=pytest.mark.slow)])
async def test_a_day_of_outage_kills_none_of_five_waiting_jobs(
    conn: Connection, clock: FakeClock, hours: int
) -> None:
    await an_endpoint(conn)
    await calls(conn, 5, retry={"base": 1, "tries": 3})
    worker, begin = await a_caller(conn), await clock.now()
    while await clock.now() < begin + timedelta(hours=hours, minutes=-5):  # the lease lasts a day
        await fail_what_may_start(conn, clock, worker)
    jobs = await conn.fetch(STATES)
    assert [job["state"] for job in jobs if job["state"] in ("dead", "completed")] == []
    assert len(jobs) == 5
    assert min(job["deferrals"] for job in jobs) > 5 * hours, "each of them probed many times"
    assert max(job["failures"] for job in jobs) < 3
    assert (await the_endpoint(conn))["circuit"] != "closed"


async def fail_what_may_start(conn: Connection, clock: FakeClock, worker: UUID) -> None:
    """Every call fails after a second; if none may start, sleeps as long as a worker is told to."""
    rows = await conn.fetch(TURN, worker, 100)
    jobs = [row for row in rows if row["kind"] == "job"]
    # What is left may be less than a microsecond, of which the clock knows nothing.
    await clock.advance("1s" if jobs else max(MOMENT, *(row["due_in"] for row in rows)))
    for row in jobs:
        assert await fail(conn, Running(row["job_id"], row["token"], worker, row["attempt"]))


async def test_what_waited_long_is_done_soon_after(conn: Connection, clock: FakeClock) -> None:
    await an_endpoint(conn)
    await calls(conn, 5, retry={"base": 1, "tries": 3})
    worker, begin = await a_caller(conn), await clock.now()
    while await clock.now() < begin + timedelta(minutes=30):
        await fail_what_may_start(conn, clock, worker)
    back = await clock.now()
    while await conn.fetchval("select count(*) from holdfast.jobs"):
        for job in await claimed(conn, worker):
            assert await complete(conn, job)
        await clock.advance("5s")
    assert await clock.now() - back < timedelta(minutes=10), "no job waits longer than its deferral"


@pytest.mark.slow
async def test_a_queue_with_a_share_starts_within_one_call_while_bulk_work_fills_the_endpoint(
    conn: Connection, clock: FakeClock
) -> None:
    """Unused, the share is lent; bulk work always asks first, so without it no chat would ever start."""
    await a_fixed_endpoint(conn, 10, shares={"chat": 0.3})
    await calls(conn, 400, queue="bulk")
    bulk, chat, chance = await a_caller(conn, "bulk"), await a_caller(conn, "chat"), random.Random(1)
    asked, running = dict[UUID, datetime](), list[tuple[datetime, Running]]()
    lent = 0
    for second in range(300):
        now = await clock.now()
        running = await what_goes_on(conn, running, now)
        if second >= 30 and second % 10 == 0:
            asked |= dict.fromkeys(await calls(conn, chance.randint(1, 3), queue="chat"), now)
        started = [*await claimed(conn, bulk), *await claimed(conn, chat)]
        # The first ones end one by one, a second apart.
        running += [(now + CALL * (1 if second else (i + 1) / 10), job) for i, job in enumerate(started)]
        lent += len([job for _, job in running if job.worker == bulk]) > 7
        await clock.advance("1s")
    starts = [(await the_job(conn, job))["started_at"] for job in asked]
    assert len(starts) > 30
    assert None not in starts
    waits = [start - since for start, since in zip(starts, asked.values(), strict=True)]
    assert max(waits) <= CALL
    assert lent > 30, "bulk work had more than its part while no chat wanted it"


async def what_goes_on(
    conn: Connection, running: list[tuple[datetime, Running]], now: datetime
) -> list[tuple[datetime, Running]]:
    """Ends the calls whose time has come."""
    for until, job in running:
        if until <= now:
            assert await complete(conn, job)
    return [call for call in running if call[0] > now]
