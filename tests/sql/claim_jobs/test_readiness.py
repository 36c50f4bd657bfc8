"""However a job becomes ready, it stands behind those of its priority that became ready before."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    claim_one,
    complete,
    dead_job,
    fail,
    ready_job,
    release,
    replay,
    running_job,
    scheduled_job,
    settle,
    snooze,
    waiting_job,
)
from tests.sql.conftest import Clock

MINUTE = timedelta(minutes=1)

# What is done at first, and what makes it ready at last.
Story = tuple[UUID, Callable[[], Awaitable[object]]]


async def promoted(conn: Connection) -> Story:
    job = await scheduled_job(conn, MINUTE / 2)
    return job, lambda: conn.execute("select holdfast.promote_jobs()")


async def released(conn: Connection) -> Story:
    job = await running_job(conn, await a_worker(conn, lease=5 * MINUTE))
    return job.id, lambda: release(conn, job)


async def retried(conn: Connection) -> Story:
    job = await running_job(conn, await a_worker(conn, lease=5 * MINUTE), retry=[0])
    return job.id, lambda: fail(conn, job)


async def snoozed(conn: Connection) -> Story:
    job = await running_job(conn, await a_worker(conn, lease=5 * MINUTE))
    return job.id, lambda: snooze(conn, job, timedelta(0))


async def advanced(conn: Connection) -> Story:
    job = await running_job(conn, await a_worker(conn, lease=5 * MINUTE))
    return job.id, lambda: settle(conn, job, "advance", {"stage": "two"})


async def replayed(conn: Connection) -> Story:
    job = await dead_job(conn)
    return job.id, lambda: replay(conn, job.id)


async def moved_up(conn: Connection) -> Story:
    head = await running_job(conn, await a_worker(conn, lease=5 * MINUTE), order_key="k")
    job = await waiting_job(conn, "k")
    return job, lambda: complete(conn, head)


async def reprioritised(conn: Connection) -> Story:
    job = await ready_job(conn, priority=10)
    return job, lambda: conn.execute("select holdfast.set_priority($1, 50, 'urgent', 'Ada')", [job])


@pytest.mark.parametrize(
    "story",
    [promoted, released, retried, snoozed, advanced, replayed, moved_up, reprioritised],
    ids=lambda story: str(story.__name__),
)
async def test_who_becomes_ready_later_comes_later(
    conn: Connection, clock: Clock, story: Callable[[Connection], Awaitable[Story]]
) -> None:
    late, make_ready = await story(conn)
    await clock.advance(MINUTE)
    early = await ready_job(conn)
    await clock.advance(MINUTE)
    await make_ready()
    worker = await a_worker(conn)
    assert [(await claim_one(conn, worker)).id for _ in range(2)] == [early, late]
