"""Another endpoint takes the calls of one that is down, where that was said, and only then."""

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock
from tests.builders import complete, fail, refusal, rescue
from tests.sql.endpoints.scene import (
    TURN,
    a_caller,
    an_endpoint,
    assert_balanced,
    blockers,
    calls,
    claimed,
    the_endpoint,
)

SERVED = "select endpoint, count(*) from holdfast.claim_jobs($1, $2) group by endpoint"


async def big_and_small(conn: Connection) -> None:
    await an_endpoint(conn, "small", mode="fixed", max=3, price=1, estimate=7)
    await an_endpoint(conn, "big", mode="fixed", max=5, fallback="small")


async def set_big(conn: Connection, what: str) -> None:
    await conn.execute(f"update holdfast.endpoints set {what} where name = 'big'")


async def served(conn: Connection, n: int = 100) -> dict[str | None, int]:
    """How many calls of each endpoint a worker can start now."""
    rows = await conn.fetch(SERVED, await a_caller(conn), n)
    return {row["endpoint"]: row["count"] for row in rows}


async def test_the_claim_says_which_endpoint_a_job_is_to_call(conn: Connection) -> None:
    await big_and_small(conn)
    await calls(conn, 10, endpoint="big")
    await calls(conn, 1, endpoint="")
    assert await served(conn) == {"big": 5, None: 1}


@pytest.mark.parametrize(
    "down",
    [
        "held_open = true",
        "circuit = 'open', open_until = extract(epoch from holdfast.now()) + 10",
        "circuit = 'half_open', probes = 3",
        "blocked_until = extract(epoch from holdfast.now()) + 10",
    ],
)
async def test_the_fallback_takes_over_while_the_endpoint_is_down(
    conn: Connection, clock: FakeClock, down: str
) -> None:
    await big_and_small(conn)
    jobs = await calls(conn, 10, endpoint="big")
    await set_big(conn, down)
    await a_caller(conn)
    assert await blockers(conn, jobs[0]) == []
    assert await served(conn) == {"small": 3}
    assert await blockers(conn, jobs[-1]) == ["limit"], "the fallback's, which is reached"
    await assert_balanced(conn)


@pytest.mark.parametrize(
    "busy",
    [
        "in_flight = 5",
        "rate = 1, rate_clock = extract(epoch from holdfast.now()) + 9",
        "streak = 3, blocked_until = extract(epoch from holdfast.now()) + 4",
    ],
)
async def test_an_endpoint_that_is_only_busy_keeps_its_calls(
    conn: Connection, clock: FakeClock, busy: str
) -> None:
    await big_and_small(conn)
    await calls(conn, 10, endpoint="big")
    await set_big(conn, busy)
    assert await served(conn) == {}


async def test_without_a_fallback_the_jobs_wait(conn: Connection) -> None:
    await big_and_small(conn)
    await an_endpoint(conn, "big", fallback=None)
    await calls(conn, 10, endpoint="big")
    await set_big(conn, "held_open = true")
    assert await served(conn) == {}


async def test_when_its_time_is_over_the_endpoint_itself_is_probed(
    conn: Connection, clock: FakeClock
) -> None:
    await big_and_small(conn)
    await calls(conn, 10, endpoint="big")
    await set_big(conn, "circuit = 'open', open_until = extract(epoch from holdfast.now()) - 1")
    assert await served(conn) == {"big": 1}
    assert await served(conn) == {"small": 3}, "while the probe is out"


async def test_permit_estimate_and_feedback_are_the_fallbacks(conn: Connection, clock: FakeClock) -> None:
    await big_and_small(conn)
    await calls(conn, 3, endpoint="big", max_failures=9)
    await set_big(conn, "held_open = true")
    worker = await a_caller(conn)
    done, failed, lost = await claimed(conn, worker)
    small = await the_endpoint(conn, "small")
    assert (small["in_flight"], small["reserved"]) == (3, 21)
    await complete(conn, done)
    await fail(conn, failed)
    small, big = await the_endpoint(conn, "small"), await the_endpoint(conn, "big")
    assert (small["in_flight"], small["spent"], small["streak"]) == (1, 7, 1)
    assert (big["in_flight"], big["streak"], big["starts"]) == (0, 0, 0)
    await conn.execute("update holdfast.workers set lease_until = holdfast.now() - interval '1 s'")
    await rescue(conn)
    assert (await the_endpoint(conn, "small"))["in_flight"] == 0
    await assert_balanced(conn)
    await set_big(conn, "held_open = false")
    assert lost.id in {job.id for job in await claimed(conn, await a_caller(conn))}
    assert (await the_endpoint(conn, "big"))["in_flight"] > 0, "its next attempt is its own endpoint's again"
    await assert_balanced(conn)


async def test_a_lane_named_after_the_fallback_was_set_falls_back_too(conn: Connection) -> None:
    await big_and_small(conn)
    await set_big(conn, "held_open = true")
    await calls(conn, 2, endpoint="big", queue="new")
    rows: list[Record] = await conn.fetch(TURN, await a_caller(conn, "new"), 10)
    assert [row["endpoint"] for row in rows if row["kind"] == "job"] == ["small"] * 2


async def test_shares_of_the_fallback_count_those_that_came_to_it(conn: Connection) -> None:
    await big_and_small(conn)
    await an_endpoint(conn, "small", shares={"chat": 0.4})
    await calls(conn, 1, endpoint="big", queue="chat")
    await set_big(conn, "held_open = true")
    assert len(await claimed(conn, await a_caller(conn, "chat"))) == 1
    await calls(conn, 5, endpoint="small", queue="bulk")
    assert len(await claimed(conn, await a_caller(conn, "bulk"))) == 2, "chat has what it is owed"
    await assert_balanced(conn)


@pytest.mark.parametrize(
    ("name", "fallback"), [("small", "small"), ("other", "big"), ("small", "other"), ("small", "big")]
)
async def test_a_chain_or_a_circle_is_refused(conn: Connection, name: str, fallback: str) -> None:
    await big_and_small(conn)
    error = await refusal(
        conn, "select holdfast.declare_endpoint($1, jsonb_build_object('fallback', $2::text))", name, fallback
    )
    assert error.sqlstate == "HF002"
    assert getattr(error, "hint", "")
