"""How long statistics are kept is set with a reason."""

import json
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


async def test_a_change_is_stored_and_recorded(conn: Connection) -> None:
    await conn.execute("select holdfast.keep_statistics('3 days', '90 days', 'a long look', 'Ada')")
    row = await conn.fetchrow("select keep_minutes, keep_hours from holdfast.statistics_settings")
    assert row is not None
    assert tuple(row) == (timedelta(days=3), timedelta(days=90))
    event = await conn.fetchrow("select * from holdfast.events where cause = 'keep_statistics'")
    assert event is not None
    assert (event["actor"], event["reason"]) == ("Ada", "a long look")
    assert json.loads(event["detail"])["to"] == {"minutes": "3 days", "hours": "90 days"}


async def test_hours_are_kept_at_least_as_long_as_minutes(conn: Connection) -> None:
    for arguments in ("'7 days', '6 days'", "'1 hour', '6 days'", "null, '6 days'", "'7 days', null"):
        error = await refusal(conn, f"select holdfast.keep_statistics({arguments}, 'why', 'Ada')")
        assert error.sqlstate == "HF002"


async def test_a_reason_is_needed(conn: Connection) -> None:
    error = await refusal(conn, "select holdfast.keep_statistics('7 days', '30 days', '', 'Ada')")
    assert error.sqlstate == "HF002"
