"""What a job costs that goes well: rows written, WAL and buffers, in a database of its own. No timings."""

from collections import Counter

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, ready_jobs, renew, report, running_job
from tests.plan.cost import WRITES, Cost, cost_of, counting, writes
from tests.plan.crowded import Drain

JOBS = 1_000
BATCH = 100
ENQUEUE = "enqueue_jobs(array['task'], array_fill('{\"n\": 1}'::json, array[1000]))"

# Per job, at most. Measured with PostgreSQL 18, without full pages: the test server writes none.
# Enqueue: 317 bytes and 5.1 buffers. Claim and completion together: 815 bytes and 16.3 buffers.
ENQUEUE_WAL, ENQUEUE_BUFFERS = 480, 8
DRAIN_WAL, DRAIN_BUFFERS = 1_220, 25


@pytest.fixture
def conn(own: Connection) -> Connection:
    return own


async def test_a_job_that_goes_well_is_three_writes_and_one_row_of_history(conn: Connection) -> None:
    drain = Drain(conn, await a_worker(conn))
    await ready_jobs(conn, 1)
    await drain.turn(1)
    await drain.turn(0)
    async with counting(conn):
        await ready_jobs(conn, JOBS)
        await drain_all(drain)
        assert await writes(conn) == {"jobs": (JOBS, JOBS, JOBS), "history": (JOBS, 0, 0)}


async def test_the_happy_path_stays_within_its_budget_of_wal_and_buffers(conn: Connection) -> None:
    drain = Drain(conn, await a_worker(conn))
    await cost_of(conn, ENQUEUE)
    await drain_all(drain)
    enqueued = await cost_of(conn, ENQUEUE)
    drained = await drain_all(drain)
    assert enqueued.full_pages == drained.full_pages == 0
    measured = [
        enqueued.wal_bytes / JOBS,
        enqueued.buffers / JOBS,
        drained.wal_bytes / JOBS,
        drained.buffers / JOBS,
    ]
    bounds = [ENQUEUE_WAL, ENQUEUE_BUFFERS, DRAIN_WAL, DRAIN_BUFFERS]
    assert all(cost <= bound for cost, bound in zip(measured, bounds, strict=True)), measured


async def test_a_drain_does_not_get_dearer_while_nothing_is_vacuumed(conn: Connection) -> None:
    """Claimed jobs leave dead entries at the head of the claim index; each is met once, not for ever."""
    await conn.execute("alter table holdfast.jobs set (autovacuum_enabled = false)")
    drain = Drain(conn, await a_worker(conn))
    await ready_jobs(conn, 20 * BATCH)
    await drain.turn(BATCH)
    costs = [(await drain.turn(BATCH)).buffers for _ in range(19)]
    assert max(costs[10:]) <= 1.5 * max(costs[:5]), costs


async def test_renewals_and_progress_are_heap_only_updates(conn: Connection) -> None:
    """An update that touched an index would leave a dead entry in it, every few seconds for each worker.

    Not all of them: while somebody's snapshot is open, even if only to analyse, a page may fill up.
    """
    worker = await a_worker(conn)
    job = await running_job(conn, worker=worker)
    await report(conn, job, done=0)
    heap_only = Counter[str]()
    for done in range(100):
        async with counting(conn):
            await renew(conn, worker, running=1, processed=done)
            await report(conn, job, done=done)
            made = await conn.fetch(WRITES)
        assert {row["relname"]: row["n_tup_upd"] for row in made} == {"workers": 1, "progress": 1}
        heap_only.update({row["relname"]: row["n_tup_hot_upd"] for row in made})
    assert min(heap_only["workers"], heap_only["progress"]) >= 80, heap_only


async def drain_all(drain: Drain) -> Cost:
    """Ten claims of a hundred, each with the ends of the one before."""
    total = Cost(0, 0, 0)
    for _ in range(JOBS // BATCH):
        total += await drain.turn(BATCH)
    total += await drain.turn(0)
    assert await drain.conn.fetchval("select count(*) from holdfast.jobs") == 0
    return total
