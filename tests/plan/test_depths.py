"""What an exact count of the depth of queues reads: the claim index and nothing of the jobs themselves.

Statistics are those of empty tables, so no bound depends on them.
"""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, ready_job
from tests.plan.cost import cost_of, counting
from tests.plan.crowded import FIXED_STATISTICS, READY
from tests.plan.test_many_lanes import MANY, QUEUES

JOBS = 100_000
# Shared buffers. An index page holds more than a hundred entries; with a look at each job there would be
# 100,000 more.
INDEX_PAGES = JOBS // 50
# A look at the catalogue, the settings and the samples, and for each lane with jobs a few pages.
FEW = 300
LANE = 2
PARKED = """
update holdfast.jobs set state = 'scheduled', due_at = rank_at + interval '1 hour', rank_at = null
where id in (select id from holdfast.jobs order by id limit $1)
"""
ALL_VISIBLE = "select relallvisible = relpages from pg_class where oid = 'holdfast.jobs'::regclass"
JOBS_READ = """
select coalesce(idx_tup_fetch, 0) + seq_tup_read as n
from pg_stat_xact_user_tables
where relid = 'holdfast.jobs'::regclass
"""


@pytest.fixture
async def conn(database_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database_url)
    # Vacuum marks no page as visible to all whose commit may not be on the disk yet.
    await connection.execute("set synchronous_commit = on")
    yield connection
    await connection.close()


async def mark_visible(conn: Connection) -> None:
    """Vacuum leaves out pages with rows that are new to an older snapshot, such as that of autovacuum's
    analysis of another table.
    """
    while True:
        await conn.execute("vacuum (analyze false) holdfast.jobs")
        if await conn.fetchval(ALL_VISIBLE):
            return
        await asyncio.sleep(0.05)


async def test_a_count_reads_the_index_alone(conn: Connection) -> None:
    await conn.execute(FIXED_STATISTICS)
    await a_worker(conn, ["one", "two"])
    lanes = [row["lane"] for row in await conn.fetch("select lane from holdfast.lanes")]
    await conn.execute(READY, lanes, JOBS, 50)
    await conn.execute(PARKED, JOBS // 4)
    await mark_visible(conn)
    await cost_of(conn, "sample_depths('1 minute')")
    await conn.execute("truncate holdfast.depth_samples")
    await conn.execute("delete from holdfast.chores")
    async with counting(conn):
        cost = await cost_of(conn, "sample_depths('1 minute')")
        assert await conn.fetchval(JOBS_READ) == 0
    assert cost.buffers < INDEX_PAGES
    found = await conn.fetchrow("select sum(ready) as ready, sum(scheduled) as n from holdfast.depth_samples")
    assert found is not None
    assert tuple(found) == (JOBS - JOBS // 4, JOBS // 4)


async def test_a_call_that_stops_reads_no_more_than_a_chunk(conn: Connection) -> None:
    await conn.execute(FIXED_STATISTICS)
    await a_queue(conn, "one")
    await a_worker(conn, ["one"])
    lanes = [row["lane"] for row in await conn.fetch("select lane from holdfast.lanes")]
    await conn.execute(READY, lanes, JOBS, 50)
    await mark_visible(conn)
    await cost_of(conn, "sample_depths('0', 1000)")  # reads the catalogue too
    for _ in range(10):  # also deep inside the lane
        assert (await cost_of(conn, "sample_depths('0', 1000)")).buffers < FEW


async def test_lanes_without_jobs_cost_nothing(conn: Connection) -> None:
    await conn.fetch(QUEUES, MANY)
    await conn.execute(FIXED_STATISTICS)
    await ready_job(conn, queue="one")
    await cost_of(conn, "sample_depths()")
    await conn.execute("delete from holdfast.chores")
    assert (await cost_of(conn, "sample_depths()")).buffers < FEW


async def test_the_history_of_one_queue_is_found_by_an_index(conn: Connection) -> None:
    """A week of samples of a hundred queues would be a million rows; here are 50,000."""
    await conn.execute(
        """
        insert into holdfast.depth_samples
        select 'queue ' || q, m, m, m, 0, 0, 1, 0, m
        from generate_series(1, 50) as q
        cross join generate_series(
          date_trunc('minute', now()) - interval '1000 minutes', date_trunc('minute', now()), '1 minute') as m
        """
    )
    await conn.execute("alter table holdfast.depth_samples set (autovacuum_enabled = false)")
    for call in ("depth_history('1 hour', 'queue 7')", "depth_history('2 minutes')", "queue_names()"):
        await cost_of(conn, call)
        assert (await cost_of(conn, call)).buffers < FEW, call
