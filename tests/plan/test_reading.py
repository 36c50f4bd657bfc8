"""What a read touches does not grow with history: buffers are counted, not time.

Statistics are those of empty tables, so no bound depends on them.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import pytest
from asyncpg import Record

from holdfast.api.live.subjects import Kind, Subject, read_snapshots
from holdfast.db.connect import Connection
from holdfast.db.figures import read_figures
from tests.database import fresh_database
from tests.plan.large_history import LETTERS, LIVE, make_history

QUICK = 200_000
LONG = 10_000_000

LIST = "select * from holdfast.list_jobs($1, null, 100)"
FIND = "select * from holdfast.find_jobs($1, null, 100)"
LETTERS_OF = "select * from holdfast.find_dead_letters($1, null, null, 100)"
GROUPS_OF = "select * from holdfast.dead_letter_groups($1)"
REPLAY = "select * from holdfast.replay_dead_letters($1, null, null, 100)"

# A page of 100 rows, or a look at 10,000, reads a few hundred pages; a scan of history would read thousands.
# Groups look at 100,000 rows, one by one where those that died together do not lie together.
# Where PostgreSQL plans the query of a function for each call, which depends on the statistics, the planner
# also reads the ends of each index of each partition: up to 130 pages.
FEW = 300
SOME = 2_000
MANY = 15_000

BOUNDS: list[tuple[str, dict[str, Any], int]] = [
    (LIST, {}, SOME),
    (LIST, {"queue": "rare"}, SOME),
    (LIST, {"task": "none"}, SOME),
    (LIST, {"labels": {"of": "few"}}, SOME),
    (LIST, {"attempt": 3}, SOME),
    (LIST, {"worker": "00000000-0000-0000-0000-000000000000"}, SOME),
    (LIST, {"state": "dead"}, SOME),
    (LIST, {"state": "dead", "queue": "rare"}, SOME + 10_000),
    (LIST, {"state": "rejected"}, SOME),
    (LIST, {"state": "waiting"}, SOME),
    (LIST, {"state": "completed", "queue": "rare"}, SOME),
    (LIST, {"run": "RUN"}, SOME),
    (LIST, {"run": "RUN", "queue": "rare"}, SOME + 10_000),
    (LIST, {"older_than": "10 days", "queue": "rare"}, SOME),
    (LIST, {"unique_key": "key 10"}, FEW),
    (LIST, {"unique_key": "key 10", "state": "completed"}, FEW),
    (LIST, {"unique_key": "none"}, FEW),
    (LIST, {"queue": "holdfast"}, FEW),
    (LIST, {"worker": "00000000-0000-4000-8000-000000000000", "state": "running"}, FEW),
    (LIST, {"origin": "import"}, SOME),
    (LIST, {"actor": "nobody"}, SOME),
    (LIST, {"payload": {"customer.id": "none"}}, SOME),
    # A number is compared by a query per payload: tests beside this one make it read the catalogue again.
    (LIST, {"payload": {"n": 2}, "state": "completed"}, SOME + 10_000),
    (LIST, {"enqueued_before": "2001-01-01T00:00:00Z"}, FEW),
    (LIST, {"fingerprint": "none"}, SOME),
    (LIST, {"fingerprint": "none", "state": "dead"}, 60_000),  # 10,000 looks at attempts
    (FIND, {"payload": {"customer.id": "none"}}, SOME),
    (FIND, {"unique_key": "key 10"}, FEW),
    (FIND, {}, SOME),
    (FIND, {"queue": "rare"}, SOME),
    (FIND, {"run": "RUN"}, SOME),
    (FIND, {"older_than": "1 hour", "state": "running"}, SOME),
    (LETTERS_OF, {}, SOME),
    (LETTERS_OF, {"queue": "rare"}, SOME),
    (LETTERS_OF, {"fingerprint": "none"}, SOME),
    (REPLAY, {"queue": "rare"}, SOME),
    (GROUPS_OF, {}, MANY),
    (GROUPS_OF, {"queue": "rare"}, MANY),
]

# The placeholders RUN and OLD stand for a run and for the oldest job of all.
OTHERS: list[tuple[str, int]] = [
    ("select * from holdfast.get_job('OLD')", FEW),
    ("select * from holdfast.job_details('OLD')", FEW),
    ("select * from holdfast.job_states(array['OLD']::uuid[])", FEW),
    ("select * from holdfast.explain('OLD')", FEW),
    ("select * from holdfast.timeline('OLD')", FEW),
    ("select * from holdfast.list_jobs('{}', 'OLD', 100)", FEW),
    ("select * from holdfast.run_progress('RUN')", 400),  # the newest 200 ends tell the rate
    ("select * from holdfast.run_forecast('RUN')", SOME),
    ("select * from holdfast.list_checkpoints('OLD')", FEW),
    ("select * from holdfast.run_view order by id desc limit 100", FEW),
    ("select * from holdfast.queue_view", MANY),
    ("select holdfast.backlog(array['crowd', 'rare'])", MANY),
    ("select * from holdfast.error_groups('7 days', slices => 0)", MANY),
    ("select * from holdfast.error_groups('15 days')", MANY),
    ("select * from holdfast.error_groups('15 days', look => 100)", MANY + 20_000),
    ("select * from holdfast.error_groups('15 days', '{\"text\": \"none\"}')", MANY),
    ("select * from holdfast.end_stats('7 days')", SOME),
    ("select * from holdfast.end_report('7 days')", SOME),
    ("select * from holdfast.slowest_jobs('7 days')", SOME),
    ("select * from holdfast.pipeline_ways('none', '7 days')", SOME),
    ("select * from holdfast.stage_moves('none', '7 days')", FEW),
    ("select * from holdfast.recent_ends()", FEW),
    ("select * from holdfast.recent_ends(20, array['rare'])", SOME),
    ("select * from holdfast.running_jobs()", FEW),
    ("select * from holdfast.parked_jobs()", MANY),
    # Each end of that minute is read; with ten million in 30 days it has 230.
    ("select holdfast.summarise_minutes(now() - interval '1 minute', now())", MANY),
    ("select holdfast.is_quiet(now() - interval '10 minutes', now())", SOME),
]

# Ten queues with ten tasks, each with ten outcomes and durations of all lengths.
TOTALS = """
insert into holdfast.end_totals
select
  'end', 'queue ' || i % 10, 'task ' || i / 10 % 10, '', '', 'state ' || i / 100, '',
  i, 0, 0, i, 0, 0, i, i, tens, tens
from generate_series(0, 999) as i
cross join (select jsonb_object_agg(t, 1) as tens from generate_series(-10, 70) as t) as durations
"""


@pytest.fixture(
    scope="module",
    params=[
        QUICK,
        pytest.param(LONG, marks=[pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(3600)]),
    ],
    ids=["quick", "long"],
)
def large_url(server_url: str, template: str, request: pytest.FixtureRequest) -> Iterator[str]:
    with asyncio.Runner() as runner:
        database = fresh_database(server_url, template)
        url = runner.run(database.__aenter__())
        runner.run(_fill(url, request.param))
        yield url
        runner.run(database.__aexit__(None, None, None))


async def _fill(url: str, ended: int) -> None:
    conn = await asyncpg.connect(url)
    await make_history(conn, ended)
    await conn.close()


@pytest.fixture
async def large(large_url: str) -> AsyncIterator[Connection]:
    conn = await asyncpg.connect(large_url)
    yield conn
    await conn.close()


@pytest.mark.slow
async def test_what_a_read_touches_is_bounded(large: Connection) -> None:
    pages = await large.fetchval(
        "select sum(pg_relation_size(relid)) / 8192 from pg_partition_tree('holdfast.history')"
    )
    assert pages > 2 * SOME, "history is too small for the bounds to mean anything"
    too_much = {}
    for query, filters, bound in BOUNDS:
        filled = await _filled(large, json.dumps(filters))
        touched = await buffers(large, query, filled)
        if touched > bound:
            too_much[query, filled] = touched
    for query, bound in OTHERS:
        touched = await buffers(large, await _filled(large, query))
        if touched > bound:
            too_much[query, ""] = touched
    assert too_much == {}


async def test_groups_and_counts_say_that_they_are_partial(large: Connection) -> None:
    groups = await large.fetch("select letters, is_partial from holdfast.dead_letter_groups()")
    assert sum(group["letters"] for group in groups) == 100_000 < LETTERS
    assert all(group["is_partial"] for group in groups)
    errors = await large.fetch("select attempts, is_partial from holdfast.error_groups('30 days')")
    assert errors[0]["attempts"] == sum(error["attempts"] for error in errors[1:]) == 100_000 < LETTERS
    assert all(error["is_partial"] for error in errors)
    counts = await large.fetchrow("select ready, scheduled from holdfast.queue_view where name = 'crowd'")
    assert counts is not None
    assert counts["ready"] == 10_000 < LIVE


async def test_a_scan_of_history_would_be_noticed(large: Connection) -> None:
    assert (
        await buffers(large, 'select count(*) from holdfast.job_view where labels @> \'{"of": "few"}\'')
        > SOME
    )


@pytest.mark.slow
async def test_metrics_read_a_bounded_number_of_buffers(large: Connection) -> None:
    """With the depth counted to its cap, and with a sample of it, which is exact."""
    ready = LIVE * 9 // 10
    async with rolled_back(large):
        await large.execute(TOTALS)
        capped = Metered(large)
        found = await read_figures(capped)
        assert {queue.queue: queue.ready for queue in found.queues}["crowd"] == 10_000
        assert max(capped.touched.values()) < MANY, capped.touched
        await large.execute("select holdfast.sample_depths('1 minute')")
        sampled = Metered(large)
        found = await read_figures(sampled)
        assert {queue.queue: queue.ready for queue in found.queues}["crowd"] == ready >= 100_000
        assert len(found.totals) == 1000
        assert sum(sampled.touched.values()) < SOME, sampled.touched


async def test_a_snapshot_for_live_updates_reads_a_bounded_number_of_buffers(large: Connection) -> None:
    """As often as twice a second, for each subject that is watched."""
    run = await large.fetchval("select id from holdfast.runs")
    old = await large.fetchval("select id from holdfast.history where queue = 'rare'")
    live = await large.fetchval("select id from holdfast.jobs limit 1")
    subjects = [
        (Subject(Kind.OVERVIEW), MANY),
        (Subject(Kind.OVERVIEW, queues=("rare",)), MANY),
        (Subject(Kind.RUN, run), SOME),
        (Subject(Kind.JOB, old), FEW),
        (Subject(Kind.JOB, live), FEW),
        (Subject(Kind.ENDPOINTS), FEW),
    ]
    for subject, bound in subjects:
        metered = Metered(large)
        ((_, snapshot),) = [one async for one in read_snapshots(metered, [subject])]
        assert snapshot.text is not None
        assert sum(metered.touched.values()) < bound, (subject, metered.touched)


@dataclass(slots=True)
class Metered:
    """Sends statements as they are, and counts the buffers of each."""

    conn: Connection
    touched: dict[str, int] = field(default_factory=dict)

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        self.touched[query] = await buffers(self.conn, query, *args)
        return await self.conn.fetch(query, *args)

    async def execute(self, query: str, /, *args: Any) -> str:
        raise NotImplementedError


@asynccontextmanager
async def rolled_back(conn: Connection) -> AsyncIterator[None]:
    transaction = conn.transaction()
    await transaction.start()
    try:
        yield
    finally:
        await transaction.rollback()


async def buffers(conn: Connection, query: str, *args: Any) -> int:
    """The least of up to five calls after the first, or fewer if two agree. The first also reads the
    catalogue, and so does a call after other sessions, such as autovacuum or tests that make databases, have
    changed it.
    """
    await _measure(conn, query, *args)
    least = await _measure(conn, query, *args)
    for _ in range(4):
        found = await _measure(conn, query, *args)
        if found == least:
            break
        least = min(least, found)
    return least


async def _measure(conn: Connection, query: str, *args: Any) -> int:
    async with rolled_back(conn):
        told = await conn.fetchval(f"explain (analyze, buffers, format json) {query}", *args)
    plan = json.loads(told)[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


async def _filled(conn: Connection, text: str) -> str:
    if "RUN" in text:
        text = text.replace("RUN", str(await conn.fetchval("select id from holdfast.runs")))
    if "OLD" in text:
        row: Record | None = await conn.fetchrow("select id from holdfast.history where queue = 'rare'")
        assert row is not None
        text = text.replace("OLD", str(row["id"]))
    return text
