"""How long statistics are kept."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.conftest import Clock
from tests.sql.summarise_ends.scene import counts, of_hours, summarise, two_minutes_of_one_hour

DAY = timedelta(days=1)


async def test_how_long_statistics_are_kept_is_a_setting(conn: Connection, clock: Clock) -> None:
    keep = "select holdfast.keep_statistics($1, $2, 'space', 'Ada')"
    await conn.execute(keep, DAY, 3 * DAY)
    await two_minutes_of_one_hour(conn, clock)
    await clock.advance(1.5 * DAY)
    await summarise(conn)
    assert len(await of_hours(conn)) == 1
    await clock.advance(2 * DAY)
    await summarise(conn)
    assert await counts(conn, "end") == []
    (event,) = await conn.fetch("select * from holdfast.event_view where cause = 'keep_statistics'")
    assert (event["actor"], event["reason"]) == ("Ada", "space")
    error = await refusal(conn, "select holdfast.keep_statistics('2 days', '1 day', 'space', 'Ada')")
    assert error.sqlstate == "HF002"
