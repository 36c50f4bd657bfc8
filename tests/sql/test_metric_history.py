"""Figures from outside over time."""

import json
from datetime import timedelta

from holdfast.db import metrics
from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.conftest import Clock

HOUR = timedelta(hours=1)
REPORT = "select holdfast.report_metric($1, $2, $3)"


async def report(conn: Connection, value: float, host: str = "a") -> None:
    await conn.execute(REPORT, "load", value, json.dumps({"host": host}))


async def of_load(conn: Connection) -> list[tuple[str, float]]:
    return [(one.labels["host"], one.value) for one in await metrics.metric_history(conn, "load", HOUR)]


async def test_the_last_value_of_each_minute_is_kept(conn: Connection, clock: Clock) -> None:
    now = await clock.now()
    await clock.advance(now.replace(second=5, microsecond=0) + timedelta(minutes=1) - now)
    await report(conn, 1)
    await report(conn, 2)
    await report(conn, 5, host="b")
    await clock.advance(timedelta(minutes=1))
    await report(conn, 3)
    assert await of_load(conn) == [("a", 2), ("b", 5), ("a", 3)]
    assert await metrics.metric_history(conn, "other", HOUR) == []
    await clock.advance(HOUR)
    assert await of_load(conn) == [("a", 3)]


async def test_values_go_with_the_other_figures_of_a_minute(conn: Connection, clock: Clock) -> None:
    await report(conn, 1)
    await clock.advance(timedelta(days=6))
    await report(conn, 2)
    await clock.advance(timedelta(days=2))
    await conn.execute("select * from holdfast.prune_records()")
    kept = await metrics.metric_history(conn, "load", timedelta(days=30))
    assert [one.value for one in kept] == [2]


async def test_a_limit_is_at_least_one(conn: Connection) -> None:
    error = await refusal(conn, "select * from holdfast.metric_history('load', '1 hour', -1)")
    assert error.sqlstate == "HF002"
