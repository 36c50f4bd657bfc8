"""due_schedules: what a worker has something to do for, the longest due first."""

from holdfast.db.connect import Connection
from tests.sql.conftest import Clock
from tests.sql.schedules import HOUR, a_schedule, an_active_schedule, due


async def test_new_and_due_schedules_are_found_the_longest_due_first(conn: Connection, clock: Clock) -> None:
    await an_active_schedule(conn, "first")
    await clock.advance(HOUR / 2)
    await an_active_schedule(conn, "second")
    assert await due(conn) == []
    await clock.advance(2 * HOUR)
    await a_schedule(conn, "new")
    assert await due(conn) == ["first", "second", "new"]
    assert await due(conn, 1) == ["first"]


async def test_the_database_says_what_time_it_is(conn: Connection, clock: Clock) -> None:
    await a_schedule(conn)
    await clock.advance(HOUR)
    row = await conn.fetchrow("select * from holdfast.due_schedules()")
    assert row is not None
    assert row["now"] - row["counts_from"] >= HOUR
