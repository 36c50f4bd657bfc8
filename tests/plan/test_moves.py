"""What a move reads in a large queue: the jobs that it moves, and a bounded number that stay.

Statistics are those of empty tables, so no bound depends on them.
"""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue
from tests.plan.cost import cost_of
from tests.plan.crowded import FIXED_STATISTICS, fill

JOBS = 100_000
# Shared buffers for each moved job: its row and six indexes are written, and an event. Look-ups in the
# catalogue and the settings come once.
JOB = 60
FEW = 1000
# A look at 10,000 jobs that stay: an entry of the index and a row each.
LOOKED_AT = 10_000 * 2
MOVE = "move_jobs('one', 'two', $1, 'too many')"


@pytest.fixture
async def conn(database_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database_url)
    await a_queue(connection, "one")
    await a_queue(connection, "two")
    await connection.execute(FIXED_STATISTICS)
    for _ in range(8):  # often enough for every plan to be kept
        await connection.execute(f"select holdfast.{MOVE}", 10)
    await fill(connection, ["one"], JOBS)
    yield connection
    await connection.close()


async def test_a_move_reads_what_it_moves(conn: Connection) -> None:
    # The first move that finds jobs reads the catalogue for the tables that it writes.
    await conn.execute(f"select holdfast.{MOVE}", 10)
    assert (await cost_of(conn, MOVE, 10)).buffers < FEW + 10 * JOB
    assert (await cost_of(conn, MOVE, 100)).buffers < FEW + 100 * JOB
    assert await conn.fetchval("select count(*) from holdfast.jobs where queue = 'two'") == 120


async def test_jobs_that_do_not_satisfy_the_condition_are_looked_at_up_to_a_bound(conn: Connection) -> None:
    await conn.execute("""select holdfast.set_rebalance('one', 'two', '{"condition": "$.n == 2"}')""")
    await conn.execute("select holdfast.sample_depths('1 minute')")
    await conn.execute("select holdfast.rebalance_queues(true)")
    assert (await cost_of(conn, "rebalance_queues(true)")).buffers < LOOKED_AT + FEW
