"""What a failed call tells of its endpoint, and when it counts against its job."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock
from tests.builders import Running, attempts_of, complete, fail, renew, replay, state_of, the_job
from tests.sql.endpoints.scene import (
    a_caller,
    a_fixed_endpoint,
    an_endpoint,
    assert_balanced,
    calls,
    claimed,
    open_circuit,
    the_endpoint,
)

STEERED = ("limit", "streak", "evidence", "circuit", "last_cut", "blocked_until", "samples", "delivered_sum")


async def steered(conn: Connection) -> dict[str, Any]:
    row = await the_endpoint(conn)
    return {name: row[name] for name in STEERED}


@pytest.mark.parametrize("evidence", ["good", "none"])
async def test_failures_that_are_not_the_endpoints_leave_it_alone_and_count(
    conn: Connection, clock: FakeClock, evidence: str
) -> None:
    await an_endpoint(conn, max=10, start=6)
    await calls(conn, 6, max_failures=1)
    before = await steered(conn)
    running = await claimed(conn, await a_caller(conn))
    await clock.advance("20s")
    for job in running:
        await fail(conn, job, evidence=evidence)
    assert [await state_of(conn, job.id) for job in running] == ["dead"] * 6
    assert await steered(conn) == before
    await assert_balanced(conn)


async def test_a_good_answer_ends_the_streak_even_if_the_job_dies_of_it(
    conn: Connection, clock: FakeClock
) -> None:
    await a_fixed_endpoint(conn)
    await calls(conn, 3)
    first, second, refused = await claimed(conn, await a_caller(conn))
    await fail(conn, first)
    await fail(conn, second)
    assert (await the_endpoint(conn))["streak"] == 2
    await clock.advance(1)
    await fail(conn, refused, "permanent", evidence="good")
    after = await the_endpoint(conn)
    assert (after["streak"], after["last_ok"]) == (0, (await clock.now()).timestamp())
    assert after["delivered_since"] is None, "it did no work"


@pytest.mark.parametrize(
    ("error_class", "evidence", "circuit"),
    [
        ("permanent", "good", "closed"),
        ("transient", "good", "closed"),
        ("transient", "bad", "open"),
        ("transient", "none", "half_open"),
        ("permanent", "none", "half_open"),
    ],
)
async def test_what_a_probe_was_answered_decides_about_the_circuit(
    conn: Connection, clock: FakeClock, error_class: str, evidence: str, circuit: str
) -> None:
    await an_endpoint(conn)
    await calls(conn, 1)
    await open_circuit(conn, 0)
    (probe,) = await claimed(conn, await a_caller(conn))
    await fail(conn, probe, error_class, evidence=evidence)
    found = await the_endpoint(conn)
    assert (found["circuit"], found["probes"]) == (circuit, 0 if circuit != "open" else found["probes"])
    await assert_balanced(conn)


@pytest.mark.parametrize(("said", "streak"), [({}, 1), ({"evidence": "odd"}, 1), ({"evidence": 5}, 1)])
async def test_a_worker_that_says_nothing_of_it_means_the_endpoint_by_a_transient_failure(
    conn: Connection, said: dict[str, Any], streak: int
) -> None:
    await a_fixed_endpoint(conn)
    await calls(conn, 2)
    first, second = await claimed(conn, await a_caller(conn))
    await fail(conn, first, **said)
    await fail(conn, second, "permanent", **said)
    assert (await the_endpoint(conn))["streak"] == streak


async def test_seconds_count_as_failed_what_the_endpoint_failed(conn: Connection, clock: FakeClock) -> None:
    await a_fixed_endpoint(conn)
    await calls(conn, 3)
    running = await claimed(conn, await a_caller(conn))
    for job, evidence in zip(running, ("good", "bad", "none"), strict=True):
        await fail(conn, job, evidence=evidence)
    found = await the_endpoint(conn)
    assert (found["second_failed"], found["second_other"]) == (1, 2)


async def tried(conn: Connection, job: UUID, times: int) -> None:
    """As after so many tries that were put off."""
    await conn.execute("update holdfast.jobs set deferrals = $2 where id = $1", job, times)


async def again(conn: Connection, clock: FakeClock, job: UUID) -> Running:
    """Its next try, while nothing else of the queue is due."""
    await conn.execute("update holdfast.jobs set due_at = holdfast.now() where id = $1", job)
    await conn.execute("select holdfast.promote_jobs(100)")
    await conn.execute("update holdfast.endpoints set blocked_until = 0, open_until = 0, probes = 0")
    (running,) = [one for one in await claimed(conn, await a_caller(conn)) if one.id == job]
    await clock.advance(1)
    return running


@pytest.mark.parametrize("circuit", ["closed", "open"])
async def test_a_job_that_always_fails_counts_once_another_was_served_since_its_last_try(
    conn: Connection, clock: FakeClock, circuit: str
) -> None:
    await a_fixed_endpoint(conn, trip_failures=1000)
    poison, other = await calls(conn, 2, max_failures=3)
    first, busy = await claimed(conn, await a_caller(conn))
    assert (first.id, busy.id) == (poison, other)
    await conn.execute("update holdfast.endpoints set streak = 5")
    await fail(conn, first)
    await tried(conn, poison, 20)
    await clock.advance(10)
    if circuit == "open":
        await open_circuit(conn, 0)
    await fail(conn, await again(conn, clock, poison))
    assert (await the_job(conn, poison))["failures"] == 0, "nobody else was served"
    await conn.execute("update holdfast.endpoints set streak = 5")
    await clock.advance(1)
    await fail(conn, busy, "permanent", evidence="good")
    await conn.execute("update holdfast.endpoints set streak = 5, circuit = $1", circuit)
    await fail(conn, await again(conn, clock, poison))
    assert (await the_job(conn, poison))["failures"] == 1
    await conn.execute("update holdfast.endpoints set streak = 5")
    await fail(conn, await again(conn, clock, poison))
    assert (await the_job(conn, poison))["failures"] == 1, "every one needs a proof of its own"


async def test_its_own_good_answer_proves_nothing_and_a_replay_starts_anew(
    conn: Connection, clock: FakeClock
) -> None:
    await a_fixed_endpoint(conn, trip_failures=1000)
    (job,) = await calls(conn, 1, max_failures=2)
    (first,) = await claimed(conn, await a_caller(conn))
    await fail(conn, first, evidence="good")
    await tried(conn, job, 20)
    await conn.execute("update holdfast.endpoints set streak = 5")
    await fail(conn, await again(conn, clock, job))
    assert (await the_job(conn, job))["failures"] == 1, "only the first, which was its own"
    await fail(conn, await again(conn, clock, job), "permanent")
    assert await replay(conn, job) == "replayed"
    await conn.execute(
        "update holdfast.endpoints set streak = 5, last_ok = extract(epoch from holdfast.now())"
    )
    await tried(conn, job, 20)
    await clock.advance(1)
    await fail(conn, await again(conn, clock, job))
    row = await the_job(conn, job)
    assert (row["failures"], row["generation"]) == (0, 2), "its tries before the replay are no tries"


async def test_five_jobs_that_always_fail_die_beside_others_and_the_server_is_used(
    conn: Connection, clock: FakeClock
) -> None:
    """They are five of many jobs of a server that is well, and it says 500 to them alone."""
    await an_endpoint(conn)
    poison = await calls(conn, 5, max_failures=3, retry="chat")
    worker, served = await a_caller(conn), 0
    end = await clock.now() + timedelta(hours=1)
    while await clock.now() < end and {await state_of(conn, job) for job in poison} != {"dead"}:
        await calls(conn, 2)
        for job in await claimed(conn, worker):
            if job.id in poison:
                await fail(conn, job, evidence="bad")
            else:
                served += await complete(conn, job)
        await clock.advance(10)
        await renew(conn, worker)
        await conn.execute("select holdfast.promote_jobs(100)")
    assert {await state_of(conn, job) for job in poison} == {"dead"}
    assert (await the_endpoint(conn))["circuit"] == "closed"
    assert served > 10
    assert await conn.fetchval("select count(*) from holdfast.dead_letters") == 5


@pytest.mark.slow
async def test_an_outage_that_begins_between_two_tries_kills_no_job_in_a_day(
    conn: Connection, clock: FakeClock
) -> None:
    """Others were served between the first try of each and the outage, which says 503 to all."""
    await an_endpoint(conn, max=12, start=12)
    jobs = await calls(conn, 6, max_failures=3, retry="chat")
    worker = await a_caller(conn)
    for job in await claimed(conn, worker):
        await fail(conn, job, evidence="bad")
        await calls(conn, 1, queue="other")
    good = await a_caller(conn, "other")
    await conn.execute("update holdfast.endpoints set blocked_until = 0")
    await clock.advance(1)
    for other in await claimed(conn, good):
        await complete(conn, other)
    end = await clock.now() + timedelta(hours=24)
    while await clock.now() < end:
        await conn.execute("select holdfast.promote_jobs(100)")
        running = await claimed(conn, worker)
        for job in running:
            await clock.advance("5s")
            await fail(conn, job, evidence="bad")
        if not running:
            await clock.advance(180)
            await renew(conn, worker)
    tries = [len(await attempts_of(conn, job)) for job in jobs]
    assert min(tries) > 3 * 4, tries
    assert await conn.fetchval("select count(*) from holdfast.dead_letters") == 0
    await assert_balanced(conn)
