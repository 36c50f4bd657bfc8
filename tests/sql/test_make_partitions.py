"""History has a partition for this week and four ahead; the default one catches what falls between."""

from datetime import timedelta

import pytest

from holdfast.db.connect import Connection
from tests.builders import completed_job, replay, state_of
from tests.sql.conftest import Clock

WEEKS = """
select c.relname, pg_get_expr(c.relpartbound, c.oid) as bounds
from pg_inherits as i
join pg_class as c on c.oid = i.inhrelid
where i.inhparent = 'holdfast.history'::regclass and c.relname ~ '^history_[0-9]'
order by c.relname
"""


async def make(conn: Connection) -> int:
    made: int = await conn.fetchval("select holdfast.make_partitions()")
    return made


async def in_default(conn: Connection) -> int:
    count: int = await conn.fetchval("select count(*) from holdfast.history_default")
    return count


async def test_five_weeks_are_made_once(conn: Connection) -> None:
    await conn.execute("delete from holdfast.history")
    for row in await conn.fetch(WEEKS):
        await conn.execute(f"drop table holdfast.{row['relname']}")
    assert await make(conn) == 5
    assert await make(conn) == 0


async def test_ends_go_into_their_week(conn: Connection, clock: Clock) -> None:
    await make(conn)
    for _ in range(4):
        job = await completed_job(conn)
        assert await state_of(conn, job.id) == "completed"
        await clock.advance(timedelta(weeks=1))
        await make(conn)
    assert await in_default(conn) == 0
    assert await conn.fetchval("select count(distinct tableoid) from holdfast.history") == 4


async def test_without_its_week_an_end_goes_into_the_default_partition_and_is_as_good(
    conn: Connection, clock: Clock
) -> None:
    await make(conn)
    await clock.advance(timedelta(weeks=20))
    job = await completed_job(conn)
    assert await in_default(conn) == 1
    # This week cannot be attached any more, the weeks ahead can.
    assert await make(conn) == 4
    assert await state_of(conn, job.id) == "completed"
    assert await replay(conn, job.id) == "replayed"
    assert await in_default(conn) == 0


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC"])
async def test_weeks_follow_without_gap_in_any_time_zone(conn: Connection, clock: Clock, zone: str) -> None:
    """Clocks are put forward and back within a year, so a session's week may have 167 or 169 hours."""
    await conn.execute(f"set local timezone = '{zone}'")
    for _ in range(13):
        await make(conn)
        await clock.advance(timedelta(weeks=4))
    await conn.execute("set local timezone = 'UTC'")
    bounds = [row["bounds"] for row in await conn.fetch(WEEKS)]
    ends = [bound.split("TO (")[1].rstrip(")") for bound in bounds]
    starts = [bound.split("FROM (")[1].split(")")[0] for bound in bounds]
    assert len(bounds) >= 52
    assert starts[1:] == ends[:-1]


async def test_empty_weeks_of_the_past_are_dropped_and_full_ones_stay(conn: Connection, clock: Clock) -> None:
    await make(conn)
    await completed_job(conn)
    count = len(await conn.fetch(WEEKS))
    await clock.advance(timedelta(weeks=4))
    await conn.execute("select * from holdfast.prune_jobs()")
    left = await conn.fetch(WEEKS)
    assert len(left) < count
    assert await conn.fetchval("select count(*) from holdfast.history") == 1
    await clock.advance(timedelta(weeks=2))
    await conn.execute("select * from holdfast.prune_jobs()")
    await conn.execute("select * from holdfast.prune_jobs()")
    assert await conn.fetchval("select count(*) from holdfast.history") == 0
