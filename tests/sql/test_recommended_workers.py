"""How many workers a queue needs, by what it did on the days before and does today."""

import math
from datetime import datetime, timedelta

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, ready_jobs, refusal
from tests.sql.conftest import Clock

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
# 100 to 126 ms each.
TENTH = 20
INSERT = """
insert into holdfast.end_counts (minute, queue, task, state, jobs, retried, wait_tens, run_tens)
select m, $3, 'task', 'completed', n, 0, '{}', jsonb_build_object($4::text, n)
from unnest($1::timestamptz[], $2::integer[]) as given (m, n)
where n > 0
"""


def daily(at: datetime) -> float:
    """Jobs a minute: a quiet night, a steep morning, two peaks, as of people at work."""
    hour = at.hour + at.minute / 60
    day = math.exp(-((hour - 10) ** 2) / 4) + 0.8 * math.exp(-((hour - 15) ** 2) / 6)
    return 40 + 600 * day


def noisy(at: datetime, level: float) -> int:
    """Up and down by a tenth, from minute to minute, the same at each call."""
    wobble = 0.1 * math.sin(at.timestamp() / 60 * 2.399)
    return round(level * daily(at) * (1 + wobble))


async def replay(conn: Connection, until: datetime, days: int, level_today: float = 1.0) -> None:
    """What the minutes up to `until` brought; today's level may differ from the other days'."""
    start = until.replace(second=0, microsecond=0) - days * DAY
    minutes = [start + i * MINUTE for i in range(days * 1440)]
    counts = [noisy(at, level_today if at.date() == until.date() else 1.0) for at in minutes]
    await conn.execute(INSERT, minutes, counts, "default", str(TENTH))


async def recommend(conn: Connection, target: timedelta = timedelta(seconds=30), slots: int = 1) -> Record:
    row = await conn.fetchrow(
        "select * from holdfast.recommended_workers('default', $1, '10 minutes', $2)", target, slots
    )
    assert row is not None
    return row


@pytest.mark.parametrize("level_today", [1.0, 1.6])
async def test_the_forecast_of_a_daily_pattern_ten_minutes_ahead_is_within_a_fifth(
    conn: Connection, clock: Clock, level_today: float
) -> None:
    """Half a day in virtual time, looked at every 20 minutes; on a usual day and on a busier one."""
    morning = (await clock.now()).replace(hour=6, minute=0, second=30, microsecond=0) + DAY
    await clock.advance(morning - await clock.now())
    evening = morning + timedelta(hours=13)
    await replay(conn, evening, 4, level_today)
    wrong = []
    while (now := await clock.now()) < evening - 20 * MINUTE:
        actual = sum(noisy(now + (8 + i) * MINUTE, level_today) for i in range(5)) / 5
        forecast = (await recommend(conn))["forecast_per_minute"]
        if abs(forecast - actual) > 0.2 * actual:
            wrong.append((now.isoformat(), round(actual), round(forecast)))
        await clock.advance(20 * MINUTE)
    assert wrong == []


async def test_workers_are_what_the_forecast_keeps_busy_and_a_quarter_more(
    conn: Connection, clock: Clock
) -> None:
    noon = (await clock.now()).replace(hour=10, minute=0, second=30, microsecond=0) + DAY
    await clock.advance(noon - await clock.now())
    await replay(conn, noon, 3)
    one = await recommend(conn)
    busy = max(one["rate_per_minute"], one["forecast_per_minute"]) / 60 * one["seconds_per_job"]
    assert 0.1 < one["seconds_per_job"] < 0.13
    assert one["workers"] == math.ceil(1.25 * busy) >= 1
    assert (await recommend(conn, slots=4))["workers"] <= one["workers"]


async def test_a_backlog_needs_more_the_sooner_it_is_to_be_gone(conn: Connection, clock: Clock) -> None:
    await ready_jobs(conn, 600)
    await conn.execute(INSERT, [await clock.now() - 5 * MINUTE], [10], "default", "30")
    slow, fast = await recommend(conn, timedelta(minutes=10)), await recommend(conn, timedelta(seconds=10))
    assert slow["ready"] == fast["ready"] == 600
    assert 1 <= slow["workers"] <= 3
    assert 60 <= fast["workers"] <= 80


async def test_a_queue_that_nothing_is_known_of_needs_none_until_there_is_a_job(conn: Connection) -> None:
    assert (await recommend(conn))["workers"] == 0
    await ready_jobs(conn, 1)
    assert (await recommend(conn))["workers"] == 1
    await claim(conn, await a_worker(conn))
    assert ((await recommend(conn))["running"], (await recommend(conn))["workers"]) == (1, 1)


async def test_the_slots_of_those_at_work_are_taken_as_the_measure(conn: Connection) -> None:
    await a_worker(conn, slots=8)
    row = await conn.fetchrow("select slots_each from holdfast.recommended_workers('default')")
    assert row is not None
    assert row["slots_each"] == 8


async def test_a_wish_that_makes_no_sense_is_refused(conn: Connection) -> None:
    for given in ("'0.1 seconds'", "'30 seconds', '2 days'", "'30 seconds', '1 minute', 0"):
        error = await refusal(conn, f"select holdfast.recommended_workers('default', {given})")
        assert error.sqlstate == "HF002"
