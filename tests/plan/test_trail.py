"""Sealing, verifying and listing read ranges of one index, however many other events there are.

Statistics are those of empty tables, so no bound depends on them.
"""

import pytest

from holdfast.db.connect import Connection
from tests.plan.cost import cost_of

# Two days of the trail among the transitions of a queue at detail full: 1 of 100 is sealed.
FILL = """
insert into holdfast.events (at, cause, job_id, actor)
select holdfast.now() - interval '2 days' + n / 100000 * interval '1 day', 'claim', gen_random_uuid(),
  case when n % 100 = 0 then 'Ada' end
from generate_series(0, 199999) as n
"""
PAGES = "select pg_relation_size('holdfast.events') / current_setting('block_size')::integer"
READS = [
    "verify_events(current_date - 1, current_date - 1)",
    "list_events()",
    "list_events(jsonb_build_object('until', now() - interval '5 days'))",
]


@pytest.mark.slow
async def test_only_the_range_that_is_needed_is_read(conn: Connection) -> None:
    await conn.execute("set local timezone to 'UTC'")
    await conn.execute(FILL)
    await conn.execute("select holdfast.seal_events(100000)")
    events = 1000
    # Each event that is read may be on a page of its own, under a few pages of the index.
    assert events * 5 < 20 * await conn.fetchval(PAGES)
    for call in READS:
        assert (await cost_of(conn, call)).buffers < events * 5, call


@pytest.mark.slow
async def test_sealing_reads_only_the_range_that_it_seals(conn: Connection) -> None:
    await conn.execute(FILL)
    # The first call steps over the index entries of tests that were rolled back, and marks them as dead.
    await conn.execute("select holdfast.seal_events(1)")
    assert (await cost_of(conn, "seal_events(500)")).buffers < 5000 < 20 * await conn.fetchval(PAGES)


@pytest.mark.slow
async def test_the_trail_is_read_by_its_own_index(conn: Connection) -> None:
    await conn.execute(FILL)
    await conn.execute("select pg_stat_force_next_flush()")
    scans = "select seq_scan, idx_scan from pg_stat_xact_user_tables where relname = 'events'"
    before = await conn.fetchrow(scans)
    await conn.execute("select * from holdfast.seal_events(100000)")
    await conn.execute("select * from holdfast.verify_events()")
    after = await conn.fetchrow(scans)
    assert before is not None
    assert after is not None
    assert after["seq_scan"] == before["seq_scan"]
    assert after["idx_scan"] > before["idx_scan"]
