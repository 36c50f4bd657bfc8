"""Counters since the beginning, for metrics."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import completed_job, dead_job
from tests.sql.conftest import Clock
from tests.sql.summarise_ends.scene import summarise, totals


async def test_totals_are_those_of_all_minutes(conn: Connection, clock: Clock) -> None:
    for _ in range(2):
        await completed_job(conn, queue="a")
        await clock.advance(timedelta(minutes=2))
        await summarise(conn)
    await dead_job(conn, queue="a")
    await summarise(conn)
    assert await totals(conn, "end") == {
        ("a", "task", "", "completed", ""): 2,
        ("a", "task", "", "dead", ""): 1,
    }
    assert await totals(conn, "attempt") == {("a", "task", "", "failed", "permanent"): 1}
    assert await totals(conn, "enqueue") == {("a", "task", "", "", ""): 3}
