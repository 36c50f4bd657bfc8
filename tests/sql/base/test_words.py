"""Times and durations look the same wherever people read them."""

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.cli.frame.render import clock
from holdfast.db.connect import Connection
from holdfast.model.duration import parse_duration, short

SPANS = {
    0: "0 s",
    0.0004: "0 s",
    0.008: "8 ms",
    0.9994: "999 ms",
    0.9996: "1 s",
    1.25: "1.3 s",
    7: "7 s",
    9.96: "10 s",
    75.5: "76 s",
    119.9: "120 s",
    120: "2 min",
    7_199: "119 min",
    7_200: "2 h",
    172_799: "47 h",
    172_800: "2 d",
    100 * 86_400: "100 d",
    -5: "0 s",
}


@pytest.mark.parametrize(("seconds", "words"), SPANS.items())
async def test_a_duration_is_written_the_same_by_sql_and_by_the_command(
    conn: Connection, seconds: float, words: str
) -> None:
    length = timedelta(seconds=seconds)
    assert short(length) == words
    assert await conn.fetchval("select holdfast.span_words($1)", length) == words
    parse_duration(words)


async def test_a_time_is_written_the_same_by_sql_and_by_the_command_in_any_zone(conn: Connection) -> None:
    at = datetime(2030, 1, 31, 9, 0, 0, 987_654, tzinfo=UTC)
    await conn.execute("set local timezone = 'Asia/Kathmandu'")
    assert await conn.fetchval("select holdfast.time_words($1)", at) == clock(at) == "2030-01-31 09:00:00Z"
