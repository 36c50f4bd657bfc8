"""Starts per minute, units per minute and money per day: never exceeded, nor left unused."""

import random
from bisect import bisect_right
from typing import Any

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock
from tests.builders import complete, settle
from tests.sql.endpoints.scene import (
    a_caller,
    a_fixed_endpoint,
    an_endpoint,
    assert_balanced,
    blockers,
    calls,
    claimed,
    the_endpoint,
    told_to_wait,
)


def most_in_a_minute(starts: list[float]) -> int:
    """In any sliding minute that begins with a start."""
    ordered = sorted(starts)
    return max(bisect_right(ordered, at + 60 - 1e-4) - i for i, at in enumerate(ordered))


@pytest.mark.parametrize("seed", range(3))
async def test_requests_per_minute_hold_in_every_sliding_minute_whoever_starts(
    conn: Connection, clock: FakeClock, seed: int
) -> None:
    luck = random.Random(seed)
    await a_fixed_endpoint(conn, requests_per_minute=20)
    await calls(conn, 200)
    workers = [await a_caller(conn) for _ in range(3)]
    starts: list[float] = []
    for _ in range(150):
        await clock.advance(luck.choice([0.05, 0.5, 2.0, 5.0]))
        now = (await clock.now()).timestamp()
        running = await claimed(conn, luck.choice(workers), luck.randint(1, 8))
        starts += [now] * len(running)
        for job in running:
            await complete(conn, job)
    assert most_in_a_minute(starts) == 20, "not more, and not less either"
    await assert_balanced(conn)


async def test_a_worker_refused_by_the_minute_is_told_when_the_oldest_start_leaves_it(
    conn: Connection, clock: FakeClock
) -> None:
    await a_fixed_endpoint(conn, requests_per_minute=2)
    (*_, last) = await calls(conn, 5)
    worker = await a_caller(conn)
    await claimed(conn, worker, 1)
    await clock.advance(10)
    assert len(await claimed(conn, worker)) == 1
    assert await told_to_wait(conn, worker) == pytest.approx(50, abs=0.01)
    assert await blockers(conn, last) == ["requests"]
    await clock.advance(51)
    assert len(await claimed(conn, worker)) == 1


@pytest.mark.parametrize(("before", "after"), [(50, 7), (7, 50), (10, 10)])
async def test_a_changed_number_of_requests_counts_the_starts_of_before(
    conn: Connection, clock: FakeClock, before: int, after: int
) -> None:
    await a_fixed_endpoint(conn, requests_per_minute=before)
    await calls(conn, 100)
    worker = await a_caller(conn)
    started = len(await claimed(conn, worker, 5))
    await clock.advance(1)
    await an_endpoint(conn, requests_per_minute=after)
    assert len(await claimed(conn, worker)) == after - started
    await clock.advance(59.5)
    assert len(await claimed(conn, worker)) == started, "those of the first moment have left the minute"


async def test_units_per_minute_count_what_was_used_and_what_is_reserved(
    conn: Connection, clock: FakeClock
) -> None:
    await a_fixed_endpoint(conn, units_per_minute=1000, estimate=300)
    (*_, last) = await calls(conn, 20)
    worker = await a_caller(conn)
    running = await claimed(conn, worker)
    assert len(running) == 3, "a fourth would reserve 1200"
    assert await blockers(conn, last) == ["units"]
    for job in running:
        await settle(conn, job, "complete", {"units": 100})
    assert len(await claimed(conn, worker)) == 2, "300 used, 600 reserved"
    assert await told_to_wait(conn, worker) == pytest.approx(1)
    await clock.advance(62)
    assert len(await claimed(conn, worker)) == 1, "what was used has left the minute, 600 are reserved"
    await assert_balanced(conn)


async def test_a_call_larger_than_the_minutes_units_runs_alone(conn: Connection) -> None:
    await a_fixed_endpoint(conn, units_per_minute=100, estimate=300)
    await calls(conn, 5)
    assert len(await claimed(conn, await a_caller(conn))) == 1


async def test_a_jobs_own_estimate_is_what_is_reserved(conn: Connection) -> None:
    await a_fixed_endpoint(conn, estimate=300)
    await calls(conn, 1, estimate=7)
    await calls(conn, 1)
    await claimed(conn, await a_caller(conn))
    assert (await the_endpoint(conn))["reserved"] == 307
    await assert_balanced(conn)


@pytest.mark.parametrize(("said", "spent"), [({"units": 150}, 1.5), (None, 2.0)])
async def test_the_days_money_is_spent_by_what_calls_use_and_comes_back_tomorrow(
    conn: Connection, clock: FakeClock, said: dict[str, Any] | None, spent: float
) -> None:
    await a_fixed_endpoint(conn, budget_per_day=5, price=0.01, estimate=200)
    (*_, last) = await calls(conn, 20)
    worker = await a_caller(conn)
    running = await claimed(conn, worker)
    assert len(running) == 2, "2 each are reserved"
    await settle(conn, running[0], "complete", said)
    assert (await the_endpoint(conn))["spent"] == pytest.approx(spent)
    assert await blockers(conn, last) == ["budget"], "another 2 would be too much"
    await settle(conn, running[1], "complete", {"units": 350})
    assert await claimed(conn, worker) == []
    wait = await told_to_wait(conn, worker)
    assert wait is not None
    await clock.advance(wait)
    worker = await a_caller(conn)
    assert len(await claimed(conn, worker)) == 2


async def test_without_money_nothing_starts(conn: Connection) -> None:
    await a_fixed_endpoint(conn, budget_per_day=0, price=1)
    await calls(conn, 1)
    assert await claimed(conn, await a_caller(conn)) == []
