"""What limits and budgets cost: nothing where there are none, and little where there are."""

import asyncio
from dataclasses import astuple
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, an_open_run, ready_jobs, settle
from tests.plan.cost import Cost, cost_of, counting, writes
from tests.plan.crowded import TURN, Drain
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, calls, claimed
from tests.sql.limits.scene import a_task

SETTLED = "update holdfast.limits set is_settled = true"


@pytest.fixture
def conn(own: Connection) -> Connection:
    return own


async def test_a_lane_without_limits_pays_nothing_for_those_of_others(conn: Connection) -> None:
    drain = Drain(conn, await a_worker(conn))
    await settled_down(drain)
    before = await a_usual_turn(drain)
    await a_queue(conn, "other", max_concurrent=2, rate="100/minute")
    await a_task(conn, "heavy", max_concurrent=2)
    await ready_jobs(conn, 5, queue="other", run=await an_open_run(conn, budget=5))
    await settled_down(drain)
    after = await a_usual_turn(drain, expected=before.buffers + 2)
    assert after.buffers <= before.buffers + 2, "the other lanes' rows are read, and no more"
    assert after.wal_bytes <= before.wal_bytes * 1.05


async def test_a_plain_job_writes_no_row_more(conn: Connection) -> None:
    await a_queue(conn, "other", max_concurrent=2)
    drain = Drain(conn, await a_worker(conn))
    await settled_down(drain)
    async with counting(conn):
        await ready_jobs(conn, 10)
        await drain.turn(10)
        await drain.turn(0)
        assert await writes(conn) == {"jobs": (10, 10, 10), "history": (10, 0, 0)}


async def test_a_limited_claim_does_not_look_at_jobs_that_run_elsewhere(conn: Connection) -> None:
    """Very many run in another queue, and the statistics say that none does."""
    await conn.execute("alter table holdfast.jobs set (autovacuum_enabled = false)")
    await conn.execute("analyze")
    await a_queue(conn, "limited", max_concurrent=3)
    await a_task(conn, "heavy", max_concurrent=3)
    await conn.execute(SETTLED)
    drain = Drain(conn, await a_worker(conn, ["limited"]))
    few = await a_limited_turn(drain)
    other = await a_worker(conn, ["crowd"])
    await ready_jobs(conn, 20_000, queue="crowd")
    await conn.fetch("select job_id from holdfast.claim_jobs($1, 20000)", other)
    many = await a_limited_turn(drain)
    assert many.buffers < few.buffers + 60, "an index's depth, not its breadth"


async def test_a_budget_that_is_nearly_used_up_is_judged_once(conn: Connection) -> None:
    await a_fixed_endpoint(conn, price=1, estimate=2)
    run = await an_open_run(conn, max_units=3)
    await calls(conn, 2_001, run=run)
    worker = await a_caller(conn)
    (job,) = await claimed(conn, worker)
    assert await settle(conn, job, "complete", {"units": 2})
    cost = await claim_one(conn, worker)
    parked = await conn.fetchval("select count(*) from holdfast.jobs where waits_for = 'budget'")
    assert parked == 1, "one unit is left: a job that needs less may still start"
    assert cost.buffers <= 300, "140, and 10,300 when it was judged for each ready job"


async def test_a_refused_claim_writes_nothing(conn: Connection) -> None:
    await a_queue(conn, max_concurrent=1)
    await ready_jobs(conn, 3)
    worker = await a_worker(conn)
    await claim_one(conn, worker)
    async with counting(conn):
        await claim_one(conn, worker)
        assert await writes(conn) == {}
        # Not even a row lock. Bytes of WAL would not tell: reading a page may clear away dead rows.
        assert await conn.fetchval("select pg_current_xact_id_if_assigned()") is None


async def settled_down(drain: Drain) -> None:
    for _ in range(8):
        await a_turn(drain)


async def a_turn(drain: Drain) -> Cost:
    await ready_jobs(drain.conn, 5)
    cost = await drain.turn(5)
    await drain.turn(0)
    return cost


async def a_usual_turn(drain: Drain, expected: int = 0) -> Cost:
    """The least of several, without dead rows of earlier ones. A snapshot in another test's database keeps
    pages from being pruned, for seconds on a busy machine: more turns are tried until one is as expected.
    """
    costs: list[Cost] = []
    for tries in range(100):
        await drain.conn.execute("vacuum")
        costs.append(await a_turn(drain))
        if tries >= 5 and (not expected or min(cost.buffers for cost in costs) <= expected):
            break
        await asyncio.sleep(0.1 if tries >= 5 else 0)
    return Cost(*(min(figure) for figure in zip(*map(astuple, costs), strict=True)))


async def a_limited_turn(drain: Drain) -> Cost:
    """The last of many, which keep their plans."""
    costs = []
    for _ in range(8):
        await ready_jobs(drain.conn, 2, queue="limited", task="heavy")
        costs.append(await drain.turn(2))
        await drain.turn(0)
    return costs[-1]


async def claim_one(conn: Connection, worker: UUID) -> Cost:
    return await cost_of(conn, TURN, worker, 1, [], [], [], [], [])
