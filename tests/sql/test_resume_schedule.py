"""A resumed schedule goes on with the slots after the resume."""

from holdfast.db.connect import Connection
from tests.sql.conftest import Clock
from tests.sql.schedules import HOUR, an_active_schedule, due, the_schedule
from tests.sql.test_set_queue import trail


async def test_slots_count_from_the_resume_on(conn: Connection, clock: Clock) -> None:
    await an_active_schedule(conn, missed="all")
    await conn.execute("select holdfast.pause_schedule('hourly')")
    await clock.advance(10 * HOUR)
    await conn.execute("select holdfast.resume_schedule('hourly', 'cool', 'Ada')")
    resumed = await the_schedule(conn)
    assert (resumed["state"], resumed["next_slot"], resumed["paused_reason"]) == ("new", None, None)
    assert await clock.now() - resumed["counts_from"] < HOUR
    assert await due(conn) == ["hourly"]
    assert (await trail(conn))[-1][:3] == ("resume_schedule", "Ada", "cool")


async def test_a_resume_of_what_is_not_paused_keeps_its_slot(conn: Connection) -> None:
    slot = await an_active_schedule(conn)
    await conn.execute("select holdfast.resume_schedule('hourly')")
    assert (await the_schedule(conn))["next_slot"] == slot


async def test_an_invalid_schedule_is_checked_again(conn: Connection) -> None:
    await an_active_schedule(conn)
    counts_from = (await the_schedule(conn))["counts_from"]
    await conn.execute("select holdfast.check_schedule('hourly', $1, null, 'bad')", counts_from)
    assert await due(conn) == []
    await conn.execute("select holdfast.resume_schedule('hourly')")
    assert await due(conn) == ["hourly"]
