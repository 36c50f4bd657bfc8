"""What explain says of limits."""

from datetime import timedelta

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock
from tests.builders import a_queue, a_worker, claim, ready_jobs
from tests.sql.endpoints.scene import a_caller, blockers
from tests.sql.limits.scene import a_task

SAID = "select blocker, detail, until from holdfast.explain($1)"


@pytest.mark.parametrize("kind", ["queue", "task"])
async def test_a_limit_that_is_reached_is_named_with_its_numbers(conn: Connection, kind: str) -> None:
    await (a_queue(conn, max_concurrent=2) if kind == "queue" else a_task(conn, max_concurrent=2))
    (*_, last) = await ready_jobs(conn, 3)
    await claim(conn, await a_worker(conn), 10)
    (row,) = await conn.fetch(SAID, last)
    name = "Queue default" if kind == "queue" else "Task task"
    assert tuple(row) == (f"{kind}_limit", f"{name} may run 2 jobs at once, and 2 are running.", None)


@pytest.mark.parametrize("kind", ["queue", "task"])
async def test_a_rate_that_is_used_up_says_until_when(conn: Connection, clock: FakeClock, kind: str) -> None:
    await (a_queue(conn, rate="2/minute") if kind == "queue" else a_task(conn, rate="2/minute"))
    (*_, last) = await ready_jobs(conn, 3)
    started = await clock.now()
    await claim(conn, await a_caller(conn), 10)
    (row,) = await conn.fetch(SAID, last)
    assert row["blocker"] == f"{kind}_rate"
    assert abs(row["until"] - started - timedelta(minutes=1)) < timedelta(milliseconds=1)
    await clock.advance(60.001)
    assert await blockers(conn, last) == []


async def test_a_job_behind_others_that_take_all_the_room_is_told_so(conn: Connection) -> None:
    await a_queue(conn, max_concurrent=2)
    jobs = await ready_jobs(conn, 3)
    await a_worker(conn)
    assert [await blockers(conn, job) for job in jobs] == [[], [], ["behind"]]
    (row,) = await conn.fetch(SAID, jobs[-1])
    assert row["detail"] == "2 jobs stand before it and take all that may start now."


async def test_the_only_job_that_stands_before_a_job_is_named(conn: Connection) -> None:
    await a_queue(conn, max_concurrent=1)
    first, second = await ready_jobs(conn, 2)
    await a_worker(conn)
    (row,) = await conn.fetch(SAID, second)
    assert row["detail"] == f"Job {first} stands before it and takes all that may start now."
