"""An endpoint that fails everything is not the jobs' fault."""

from datetime import timedelta

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock
from tests.builders import attempts_of, complete, fail, renew, the_job
from tests.sql.endpoints.scene import (
    a_caller,
    a_fixed_endpoint,
    an_endpoint,
    assert_balanced,
    calls,
    claimed,
    open_circuit,
    the_endpoint,
    told_to_wait,
)


async def test_only_the_first_failure_of_a_streak_counts(conn: Connection, clock: FakeClock) -> None:
    await a_fixed_endpoint(conn)
    await calls(conn, 3)
    running = await claimed(conn, await a_caller(conn))
    for job in running:
        await fail(conn, job)
    jobs = [await the_job(conn, job.id) for job in running]
    assert [(job["failures"], job["deferrals"]) for job in jobs] == [(1, 0), (0, 1), (0, 1)]
    (spared,) = await attempts_of(conn, running[1].id)
    assert (spared["outcome"], spared["class"], spared["counted"]) == ("deferred", "transient", False)


async def test_a_success_between_makes_each_failure_count(conn: Connection) -> None:
    await a_fixed_endpoint(conn)
    await calls(conn, 4)
    first, good, second, _ = await claimed(conn, await a_caller(conn))
    await fail(conn, first)
    await complete(conn, good)
    await fail(conn, second)
    assert [(await the_job(conn, job.id))["failures"] for job in (first, second)] == [1, 1]


async def test_no_failure_counts_while_the_circuit_is_not_closed(conn: Connection, clock: FakeClock) -> None:
    await a_fixed_endpoint(conn, 3)
    await calls(conn, 3, max_failures=1)
    worker = await a_caller(conn)
    early = await claimed(conn, worker, 2)
    await open_circuit(conn, 0)
    (probe,) = await claimed(conn, worker)
    for job in (probe, *early):
        await fail(conn, job)
        row = await the_job(conn, job.id)
        assert (row["state"], row["failures"], row["deferrals"]) == ("scheduled", 0, 1)
    await assert_balanced(conn)


async def test_a_permanent_failure_counts_whatever_the_circuit_says(
    conn: Connection, clock: FakeClock
) -> None:
    await an_endpoint(conn)
    await calls(conn, 1)
    await open_circuit(conn, 0)
    (probe,) = await claimed(conn, await a_caller(conn))
    await fail(conn, probe, "permanent")
    assert (await the_job(conn, probe.id))["state"] == "dead"


async def test_five_failures_in_silence_open_the_circuit(conn: Connection, clock: FakeClock) -> None:
    await a_fixed_endpoint(conn)
    await calls(conn, 6)
    running = await claimed(conn, await a_caller(conn))
    for job in running[:5]:
        await fail(conn, job)
    assert (await the_endpoint(conn))["circuit"] == "closed", "there was a success less than 10 s ago"
    await clock.advance("10s")
    await fail(conn, running[5])
    assert (await the_endpoint(conn))["circuit"] == "open"


@pytest.mark.slow
async def test_a_day_without_the_endpoint_makes_no_job_dead(conn: Connection, clock: FakeClock) -> None:
    await an_endpoint(conn)
    jobs = await calls(conn, 5, max_failures=3, retry="chat")
    worker = await a_caller(conn)
    end = await clock.now() + timedelta(hours=24)
    tries = 0
    while await clock.now() < end:
        running = await claimed(conn, worker)
        tries += len(running)
        for job in running:
            await clock.advance("5s")
            await fail(conn, job)
        if not running:
            # In fake time nobody looks oftener than this; with it the day takes a few seconds.
            await clock.advance(max(180.0, await told_to_wait(conn, worker) or 180.0))
            await renew(conn, worker)
    assert tries > 100, "the endpoint was hardly asked"
    assert await conn.fetchval("select count(*) from holdfast.dead_letters") == 0
    await clock.advance("10m")
    for _ in range(20):
        for job in await claimed(conn, worker):
            await complete(conn, job)
        await clock.advance("1m")
    assert {(await the_job(conn, job))["state"] for job in jobs} == {"completed"}
    await assert_balanced(conn)
