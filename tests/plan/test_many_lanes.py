"""What very many lanes, queues and endpoints cost that hold no jobs, as typing errors leave them: nothing."""

from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, ready_job
from tests.plan.cost import cost_of
from tests.plan.crowded import FIXED_STATISTICS, Drain

MANY = 5_000
NAMED = "select holdfast.find_lane('one', 'endpoint ' || i, null) from generate_series(1, $1) as i"
QUEUES = "select holdfast.find_lane('queue ' || i, null, null) from generate_series(1, $1) as i"

# Shared buffers. Measured with PostgreSQL 18: 15 for an empty claim, 94 for one of a job; with a visit to
# every lane 6,000 and more.
CLAIM = 150
MARKS = 150


@pytest.fixture
def conn(own: Connection) -> Connection:
    return own


async def test_a_claim_does_not_visit_lanes_without_ready_jobs(conn: Connection) -> None:
    await conn.fetch(NAMED, MANY)
    drain = await a_drain(conn)
    assert await least_of_a_turn(drain) <= CLAIM


async def test_a_claim_finds_the_one_lane_with_a_job_among_very_many(conn: Connection) -> None:
    await conn.fetch(NAMED, MANY)
    drain = await a_drain(conn)
    job = await ready_job(conn, queue="one", endpoint=f"endpoint {MANY // 2}")
    assert (await drain.turn(5)).buffers <= 2 * CLAIM
    assert [row["id"] for row in await drain.held()] == [job]


@pytest.mark.slow
async def test_a_claim_does_not_pay_for_ready_jobs_in_lanes_that_are_not_its_own(conn: Connection) -> None:
    """Very many queues that nobody works for hold a job each; the worker's own many lanes hold none."""
    await conn.fetch(NAMED, 40)
    drain = await a_drain(conn)
    for start in range(0, MANY, 1000):
        await conn.execute(
            "select holdfast.enqueue_jobs(array_agg('t'::text), array_agg('{}'::json), '{}',"
            " array_agg(jsonb_build_object('queue', 'queue ' || i)))"
            " from generate_series($1::integer, $1 + 999) as i",
            start,
        )
    assert await least_of_a_turn(drain) <= 5 * CLAIM


async def test_marking_lanes_reads_only_those_with_ready_jobs(conn: Connection) -> None:
    await conn.fetch(QUEUES, MANY)
    await ready_job(conn, queue="one")
    await cost_of(conn, "mark_lanes()")
    assert (await cost_of(conn, "mark_lanes()")).buffers <= MARKS


async def least_of_a_turn(drain: Drain) -> int:
    """Of a few that claim nothing: after a table was analysed, the next turn plans its statements again."""
    return min([(await drain.turn(5)).buffers for _ in range(5)])


async def a_drain(conn: Connection) -> Drain:
    """Its plans are kept, and the statistics are those of the tables as they are."""
    await conn.execute(FIXED_STATISTICS)
    worker: UUID = await a_worker(conn, ["one"])
    drain = Drain(conn, worker)
    for _ in range(8):
        await ready_job(conn, queue="one", endpoint="endpoint 1")
        await drain.turn(5)
        await drain.turn(0)
    return drain
