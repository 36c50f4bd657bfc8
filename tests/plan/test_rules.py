"""What rules cost: nothing where there are none."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.plan.cost import Cost, cost_of, counting, writes
from tests.sql.rules.scene import a_rule

WAYS = [
    "enqueue_jobs(array['plain'], array_fill('{\"n\": 1}'::json, array[10]))",
    "enqueue_one('plain', '{\"n\": 1}')",
    "enqueue_columns(array['plain'], array['{}', '{}']::json[], default_queue => array['default', 'q'])",
]
READ = """
select sum(seq_scan + coalesce(idx_scan, 0))
from pg_stat_xact_user_tables
where relname in ('rules', 'rule_sets')
"""


@pytest.fixture
async def conn(database_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.mark.parametrize("call", WAYS)
async def test_an_enqueue_without_rules_does_not_look_for_them(conn: Connection, call: str) -> None:
    await conn.execute("""select holdfast.declare_task('plain', '{"queue": "default"}')""")
    before = await warm_cost_of(conn, call)
    await a_rule(conn, "other", condition="exists ($)", points=1)
    await a_rule(conn, "disabled", "task plain", condition="exists ($)", points=1, enabled=False)
    assert (await warm_cost_of(conn, call)).buffers <= before.buffers + 2
    async with counting(conn):
        await cost_of(conn, call)
        assert await conn.fetchval(READ) == 0
        assert [*await writes(conn)] == ["jobs"]


async def test_the_rules_of_a_set_are_read_once_for_all_jobs_of_a_call(conn: Connection) -> None:
    for number in range(10):
        await a_rule(conn, str(number), condition=f"$.payload.n == {number}", points=1)
    bulk = "enqueue_jobs(array['capture'], array_fill('{{\"n\": 1}}'::json, array[{}]))"
    for size in (10, 1000):
        await cost_of(conn, bulk.format(size))
        async with counting(conn):
            await cost_of(conn, bulk.format(size))
            assert await conn.fetchval(READ) == 2, size
            assert [*await writes(conn)] == ["jobs"]


async def warm_cost_of(conn: Connection, call: str) -> Cost:
    """With the plans that the session keeps; so few jobs that no index grows by a page."""
    for _ in range(2):
        await cost_of(conn, call)
    return await cost_of(conn, call)
