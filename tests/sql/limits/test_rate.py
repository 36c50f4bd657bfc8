"""Starts in any sliding period: never exceeded, nor left unused."""

import random
from bisect import bisect_right

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock
from tests.builders import a_queue, complete, ready_jobs
from tests.sql.endpoints.scene import a_caller, claimed, told_to_wait
from tests.sql.limits.scene import a_task


def most_in(period: float, starts: list[float]) -> int:
    """In any sliding period that begins with a start."""
    ordered = sorted(starts)
    return max(bisect_right(ordered, at + period - 1e-4) - i for i, at in enumerate(ordered))


@pytest.mark.parametrize("kind", ["queue", "task"])
async def test_a_rate_holds_in_every_sliding_period_with_three_workers(
    conn: Connection, clock: FakeClock, kind: str
) -> None:
    luck = random.Random(7)
    await (a_queue(conn, rate="20/minute") if kind == "queue" else a_task(conn, rate="20 per 60 s"))
    await ready_jobs(conn, 200)
    workers = [await a_caller(conn) for _ in range(3)]
    starts: list[float] = []
    for _ in range(150):
        await clock.advance(luck.choice([0.05, 0.5, 2.0, 5.0]))
        now = (await clock.now()).timestamp()
        jobs = await claimed(conn, luck.choice(workers), luck.randint(1, 8))
        starts += [now] * len(jobs)
        for job in jobs:
            await complete(conn, job)
    assert most_in(60, starts) == 20, "not more, and not less either"


async def test_a_refused_worker_is_told_when_the_oldest_start_leaves_the_period(
    conn: Connection, clock: FakeClock
) -> None:
    await a_queue(conn, rate="2/hour")
    await ready_jobs(conn, 3)
    worker = await a_caller(conn)
    assert len(await claimed(conn, worker, 1)) == 1
    await clock.advance(600)
    assert len(await claimed(conn, worker)) == 1
    assert await told_to_wait(conn, worker) == pytest.approx(3000)


async def test_a_changed_rate_counts_the_starts_of_before(conn: Connection, clock: FakeClock) -> None:
    await a_queue(conn, rate="4/minute")
    await ready_jobs(conn, 30)
    worker = await a_caller(conn)
    assert len(await claimed(conn, worker)) == 4
    await a_queue(conn, rate="10/minute")
    await clock.advance(30)
    assert len(await claimed(conn, worker)) == 6
    await a_queue(conn, rate="5/minute")
    await clock.advance(31)
    assert len(await claimed(conn, worker)) == 0, "six of the last minute are more than five"
    await clock.advance(30)
    assert len(await claimed(conn, worker)) == 5


async def test_the_smaller_of_rate_and_room_decides(conn: Connection, clock: FakeClock) -> None:
    await a_queue(conn, rate="5/minute", max_concurrent=3)
    await ready_jobs(conn, 30)
    worker = await a_caller(conn)
    jobs = await claimed(conn, worker)
    assert len(jobs) == 3
    for job in jobs:
        await complete(conn, job)
    assert len(await claimed(conn, worker)) == 2
