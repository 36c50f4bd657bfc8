"""Which calls a claim lets start, and what it tells those whom it refuses."""

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock
from tests.builders import complete, fail, ready_job, release
from tests.sql.endpoints.scene import (
    a_caller,
    a_fixed_endpoint,
    an_endpoint,
    assert_balanced,
    blockers,
    calls,
    claimed,
    open_circuit,
    the_endpoint,
    told_to_wait,
)


async def test_no_more_calls_run_than_the_limit_says_whoever_claims(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 3)
    jobs = await calls(conn, 5)
    first, second = await a_caller(conn), await a_caller(conn)
    running = [*await claimed(conn, first, 2), *await claimed(conn, second)]
    assert [job.id for job in running] == jobs[:3]
    assert await claimed(conn, first) == await claimed(conn, second) == []
    assert await blockers(conn, jobs[3]) == ["limit"]
    await complete(conn, running[0])
    assert await blockers(conn, jobs[3]) == []
    assert [job.id for job in await claimed(conn, second)] == [jobs[3]]
    await assert_balanced(conn)


async def test_a_refused_claim_writes_nothing_and_says_when_to_come_again(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 1)
    await calls(conn, 2)
    worker = await a_caller(conn)
    await claimed(conn, worker)
    before = await conn.fetchval("select xmin::text || ctid::text from holdfast.endpoints")
    wait = await told_to_wait(conn, worker)
    assert wait is not None
    assert 0.1 <= wait <= 1, "somebody else's call may end at any time"
    assert await conn.fetchval("select xmin::text || ctid::text from holdfast.endpoints") == before


async def test_an_idle_worker_is_not_woken_for_an_endpoint_without_jobs(
    conn: Connection, clock: FakeClock
) -> None:
    await a_fixed_endpoint(conn, 1, requests_per_minute=1)
    await calls(conn, 1)
    worker = await a_caller(conn)
    await claimed(conn, worker)
    assert await told_to_wait(conn, worker) is None


async def test_jobs_without_an_endpoint_pass_one_that_is_full(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 1)
    await calls(conn, 3)
    free = [await ready_job(conn) for _ in range(2)]
    running = await claimed(conn, await a_caller(conn))
    assert {job.id for job in running} > set(free)
    assert len(running) == 3


async def test_while_the_circuit_is_open_nothing_starts(conn: Connection, clock: FakeClock) -> None:
    await an_endpoint(conn)
    (job, *_) = await calls(conn, 3)
    worker = await a_caller(conn)
    await open_circuit(conn, 10)
    assert await told_to_wait(conn, worker) == pytest.approx(10)
    assert await blockers(conn, job) == ["circuit_open"]
    await clock.advance(10)
    assert len(await claimed(conn, worker)) == 1, "one probe"
    assert (await the_endpoint(conn))["circuit"] == "half_open"


async def test_a_half_open_circuit_lets_one_more_probe_out_every_20_seconds_up_to_three(
    conn: Connection, clock: FakeClock
) -> None:
    await an_endpoint(conn)
    jobs = await calls(conn, 10)
    worker = await a_caller(conn)
    await open_circuit(conn, 0)
    assert len(await claimed(conn, worker)) == 1
    assert await told_to_wait(conn, worker) == pytest.approx(20)
    assert await blockers(conn, jobs[5]) == ["probing"]
    probes = []
    for _ in range(4):
        await clock.advance(20)
        probes.append(len(await claimed(conn, worker)))
    assert probes == [1, 1, 0, 0]
    await assert_balanced(conn)


async def test_the_job_with_the_fewest_tries_probes(conn: Connection, clock: FakeClock) -> None:
    """A poison job at the head of the line must not keep the circuit open."""
    await a_fixed_endpoint(conn)
    worker = await a_caller(conn)
    await calls(conn, 3, priority=90)
    for job in await claimed(conn, worker):
        await release(conn, job)
    (fresh,) = await calls(conn, 1, priority=10)
    await open_circuit(conn, 0)
    assert [job.id for job in await claimed(conn, worker)] == [fresh]


async def test_a_good_probe_closes_the_circuit_and_a_bad_one_opens_it_for_longer(
    conn: Connection, clock: FakeClock
) -> None:
    await an_endpoint(conn)
    await calls(conn, 5)
    worker = await a_caller(conn)
    await open_circuit(conn, 0)
    (probe,) = await claimed(conn, worker)
    await fail(conn, probe)
    opened = await the_endpoint(conn)
    assert (opened["circuit"], opened["open_for"], opened["probes"]) == ("open", 7.5, 0)
    await clock.advance(30)
    (probe,) = await claimed(conn, worker)
    await complete(conn, probe)
    assert (await the_endpoint(conn))["circuit"] == "closed"
    assert len(await claimed(conn, worker)) == 2
    causes = await conn.fetch(
        "select cause from holdfast.events where cause like 'endpoint%' order by at, id"
    )
    assert [row["cause"] for row in causes] == ["endpoint_trip", "endpoint_close"]


async def test_retry_after_blocks_the_endpoint_for_every_worker(conn: Connection, clock: FakeClock) -> None:
    await a_fixed_endpoint(conn)
    await calls(conn, 10)
    first, second = await a_caller(conn), await a_caller(conn)
    (job,) = await claimed(conn, first, 1)
    await fail(conn, job, "rate_limited", retry_after=30)
    for worker in (first, second):
        wait = await told_to_wait(conn, worker)
        assert wait is not None
        assert 30 <= wait <= 33
    await clock.advance(33)
    assert len(await claimed(conn, second, 1)) == 1


async def test_a_rate_spreads_starts_and_a_claim_that_uses_it_up_says_when_to_come_again(
    conn: Connection, clock: FakeClock
) -> None:
    await a_fixed_endpoint(conn, static_rate=10.0, estimate=10)
    (*_, last) = await calls(conn, 100)
    worker = await a_caller(conn)
    assert len(await claimed(conn, worker)) == 3, "what is admitted runs at most two seconds ahead"
    assert await told_to_wait(conn, worker) == pytest.approx(1)
    assert await blockers(conn, last) == ["rate"]
    started = 0
    for _ in range(60):
        await clock.advance(1)
        started += len(await claimed(conn, worker))
    assert started == 60, "one call of ten units per second"


async def test_priority_decides_who_gets_the_permit(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 1)
    await calls(conn, 3, priority=10)
    (urgent,) = await calls(conn, 1, priority=90)
    running = await claimed(conn, await a_caller(conn))
    assert [job.id for job in running] == [urgent]
