"""An endpoint that worked and now refuses our key is a fault of ours: nothing dies of it, and it is told."""

from typing import Any

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock
from tests.builders import attempts_of, complete, fail, ready_job, state_of, the_job
from tests.sql.endpoints.scene import (
    a_caller,
    an_endpoint,
    assert_balanced,
    blockers,
    calls,
    claimed,
    the_endpoint,
    told_to_wait,
)

REFUSED: dict[str, Any] = {"error_class": "permanent", "message": "401 Unauthorized", "refused": True}
EVENTS = "select * from holdfast.events where cause = $1 order by id"


async def an_endpoint_that_worked(conn: Connection, **settings: Any) -> None:
    await an_endpoint(conn, mode="fixed", max=5, **settings)
    await calls(conn, 1)
    (job,) = await claimed(conn, await a_caller(conn))
    await complete(conn, job)


async def events(conn: Connection, cause: str) -> list[Record]:
    return await conn.fetch(EVENTS, cause)


async def test_a_refusal_by_one_that_worked_costs_nothing_and_is_told(
    conn: Connection, clock: FakeClock
) -> None:
    await an_endpoint_that_worked(conn)
    await calls(conn, 1, max_failures=1)
    before = await the_endpoint(conn)
    (job,) = await claimed(conn, await a_caller(conn))
    await fail(conn, job, **REFUSED)
    told = await the_job(conn, job.id)
    assert (told["state"], told["failures"], told["deferrals"]) == ("scheduled", 0, 1)
    assert [(row["outcome"], row["class"]) for row in await attempts_of(conn, job.id)] == [
        ("deferred", "system")
    ]
    after = await the_endpoint(conn)
    for column in ("limit", "streak", "evidence", "circuit", "rate", "in_flight"):
        assert after[column] == before[column], column
    (event,) = await events(conn, "endpoint_refuses_us")
    assert event["reason"] == "401 Unauthorized"
    await assert_balanced(conn)


async def test_the_endpoint_rests_so_that_its_other_jobs_do_not_spin(
    conn: Connection, clock: FakeClock
) -> None:
    await an_endpoint_that_worked(conn)
    (_, other) = await calls(conn, 2)
    worker = await a_caller(conn)
    (job,) = await claimed(conn, worker, 1)
    await fail(conn, job, **REFUSED)
    assert await claimed(conn, worker) == []
    assert await blockers(conn, other) == ["blocked"]
    assert 5 <= (await told_to_wait(conn, worker) or 0) <= 36
    await clock.advance(37)
    assert other in {one.id for one in await claimed(conn, worker)}


async def test_the_pause_can_be_set(conn: Connection, clock: FakeClock) -> None:
    await an_endpoint_that_worked(conn, pause=300)
    await calls(conn, 1)
    (job,) = await claimed(conn, await a_caller(conn))
    await fail(conn, job, **REFUSED)
    left = (await the_endpoint(conn))["blocked_until"] - (await clock.now()).timestamp()
    assert 300 <= left <= 360


async def test_it_is_told_once_a_minute(conn: Connection, clock: FakeClock) -> None:
    await an_endpoint_that_worked(conn)
    await calls(conn, 9)
    worker = await a_caller(conn)
    for job in await claimed(conn, worker):
        await fail(conn, job, **REFUSED)
    assert len(await events(conn, "endpoint_refuses_us")) == 1
    await clock.advance(61)
    for job in await claimed(conn, worker):
        await fail(conn, job, **REFUSED)
    assert len(await events(conn, "endpoint_refuses_us")) == 2


async def test_one_that_never_worked_refuses_for_good(conn: Connection) -> None:
    await an_endpoint(conn, mode="fixed", max=5)
    await calls(conn, 1)
    (job,) = await claimed(conn, await a_caller(conn))
    await fail(conn, job, **REFUSED)
    assert await state_of(conn, job.id) == "dead"
    assert await events(conn, "endpoint_refuses_us") == []


async def test_without_an_endpoint_it_is_the_jobs_own(conn: Connection) -> None:
    await ready_job(conn)
    (job,) = await claimed(conn, await a_caller(conn))
    await fail(conn, job, **REFUSED)
    assert await state_of(conn, job.id) == "dead"


async def test_a_task_that_the_worker_does_not_know_says_nothing_of_the_endpoint(
    conn: Connection, clock: FakeClock
) -> None:
    await an_endpoint_that_worked(conn)
    await calls(conn, 2)
    worker = await a_caller(conn)
    (job,) = await claimed(conn, worker, 1)
    await fail(conn, job, error_class="system", type="UnknownTask")
    assert await events(conn, "endpoint_refuses_us") == []
    assert len(await claimed(conn, await a_caller(conn))) == 1


@pytest.mark.parametrize(("asked", "told"), [(3600, 0), (7200, 1)])
async def test_a_wait_of_more_than_an_hour_is_cut_to_one_and_told(
    conn: Connection, clock: FakeClock, asked: int, told: int
) -> None:
    await an_endpoint(conn, mode="fixed", max=5)
    await calls(conn, 1)
    (job,) = await claimed(conn, await a_caller(conn))
    await fail(conn, job, "rate_limited", retry_after=asked)
    left = (await the_endpoint(conn))["blocked_until"] - (await clock.now()).timestamp()
    assert 3600 <= left <= 3960
    found = await events(conn, "long_retry_after")
    assert len(found) == told
    assert [row["job_id"] for row in found] == [job.id] * told
