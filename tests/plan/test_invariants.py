"""A look for violations costs what it looks at, not what there is: buffers are counted, not time."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.database import fresh_database
from tests.plan.cost import cost_of, counting

NEWEST = 1_000
# Measured: 83 pages for each, as each of some twenty look-ups walks down an index; and 14 rows of history.
BOUND = 120 * NEWEST
ROWS = 18 * NEWEST
LARGE = ["holdfast.jobs", "holdfast.unique_keys", "holdfast.attempts", "holdfast.events"]

# Rows of the table that was read most since the transaction began.
ROWS_READ = """
select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows
from pg_stat_xact_user_tables
where schemaname = 'holdfast'
order by 2 desc
limit 1
"""

LANE = "select holdfast.find_lane('crowd', null, null)"
RUN = """
insert into holdfast.runs (id, name, created_at, total)
values (holdfast.new_id(now()), 'long', now(), 50000)
"""
SMALL_RUNS = """
insert into holdfast.runs (id, name, created_at, total)
select holdfast.new_id(now() - i * interval '1 second'), 'short', now(), 250 from generate_series(1, 200) as i
"""
LIVE = """
insert into holdfast.jobs (
  id, lane, priority, urgency, state, rank_at, queue, task, payload, run_id, unique_scope, unique_key
)
select holdfast.new_id(now() - i * interval '1 second'), $1, 50, 50, 'ready', now(), 'crowd', 'task', '{}',
  case when i % 2 = 0 then (select id from holdfast.runs where name = 'long') else s.id end,
  'task', 'live ' || i
from generate_series(1, 100000) as i
left join (select id, row_number() over () as n from holdfast.runs where name = 'short') as s
  on s.n = i / 2 % 200 + 1
"""
ENDED = """
insert into holdfast.history (
  id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit,
  started_at, worker_id, token, order_key, order_seq, unique_scope, unique_key
)
select holdfast.new_id(now() - i * interval '3 second'), case when i % 5 = 0 then 'dead' else 'completed' end,
  now() - i * interval '3 second', 'crowd', 'task', $1, 50, 2, 1, 0, 0, 1, 1, now() - i * interval '3 second',
  gen_random_uuid(), gen_random_uuid(), 'line', 1000000 - i, 'task', 'ended ' || i
from generate_series(1, 100000) as i
"""
KEYS = """
insert into holdfast.unique_keys (scope, key, job_id, payload_hash, until_end)
select unique_scope, unique_key, id, ''::bytea, true from holdfast.jobs
union all
select unique_scope, unique_key, id, '', false from holdfast.history
"""
ATTEMPTS = """
insert into holdfast.attempts (
  job_id, attempt, generation, visit, outcome, class, counted, queue, task, ended_at
)
select id, 1, 1, 1, 'failed', 'transient', true, queue, task, started_at - interval '1 second'
from holdfast.history
"""
LETTERS = """
insert into holdfast.dead_letters (job_id, generation, queue, task, reason, fingerprint, died_at)
select id, 1, queue, task, 'permanent', 'f', ended_at from holdfast.history where state = 'dead'
"""
EVENTS = """
insert into holdfast.events (at, cause, job_id, queue, from_state, to_state, attempt)
select ended_at, 'end', id, queue, 'running', state, 2 from holdfast.history
"""
LIMIT = """
insert into holdfast.limits (kind, name, max_concurrent, changed_at)
values ('queue', 'crowd', 100, '2020-01-01Z')
"""


@pytest.fixture(scope="module")
def crowded_url(server_url: str, template: str) -> Iterator[str]:
    with asyncio.Runner() as runner:
        database = fresh_database(server_url, template)
        url = runner.run(database.__aenter__())
        runner.run(_fill(url))
        yield url
        runner.run(database.__aexit__(None, None, None))


async def _fill(url: str) -> None:
    conn = await asyncpg.connect(url)
    await conn.execute("select holdfast.make_partitions()")
    # Statistics of empty tables are the worst that a plan can be made with.
    await conn.execute("analyze")
    for table in ("jobs", "unique_keys", "attempts", "dead_letters", "events"):
        await conn.execute(f"alter table holdfast.{table} set (autovacuum_enabled = off)")
    lane = await conn.fetchval(LANE)
    for statement in (RUN, SMALL_RUNS):
        await conn.execute(statement)
    await conn.execute(LIVE, lane)
    await conn.execute(ENDED, lane)
    for statement in (KEYS, ATTEMPTS, LETTERS, EVENTS, LIMIT):
        await conn.execute(statement)
    await conn.close()


@pytest.fixture
async def crowded(crowded_url: str) -> AsyncIterator[Connection]:
    conn = await asyncpg.connect(crowded_url)
    yield conn
    await conn.close()


@pytest.mark.slow
async def test_a_look_at_the_newest_touches_a_bounded_part(crowded: Connection) -> None:
    """Whatever the statistics say: first those of empty tables, then true ones."""
    for _ in range(2):
        assert (await cost_of(crowded, f"check_invariants({NEWEST}, '1 hour')")).buffers < BOUND
        async with counting(crowded):
            assert await crowded.fetch(f"select * from holdfast.check_invariants({NEWEST})") == []
            most = await crowded.fetchrow(ROWS_READ)
        assert most is not None
        assert most["rows"] < ROWS, most
        await crowded.execute("analyze")


@pytest.mark.slow
async def test_a_look_at_a_few_reads_no_large_table_through(crowded: Connection) -> None:
    smallest = await crowded.fetchval(
        "select min(pg_relation_size(t::regclass)) / 8192 from unnest($1::text[]) as t", LARGE
    )
    look = f"check_invariants({NEWEST // 100}, '1 hour')"
    await cost_of(crowded, look)  # the first one makes the session's plans, and reads the catalog for them
    cost = await cost_of(crowded, look)
    assert cost.buffers < BOUND / 50 < 2 * smallest, (cost, smallest)
