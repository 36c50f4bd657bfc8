"""Minutes become hours, hours go, and totals never fall."""

from datetime import timedelta

from holdfast.db import stats
from holdfast.db.connect import Connection
from tests.builders import a_queue, completed_job, dead_job, replay
from tests.sql.conftest import Clock
from tests.sql.summarise_ends.scene import counts, of_hours, summarise, totals, two_minutes_of_one_hour

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
END = ("default", "task", "", "completed", "")


async def test_minutes_are_folded_into_hours_after_a_week(conn: Connection, clock: Clock) -> None:
    await two_minutes_of_one_hour(conn, clock)
    assert [row["jobs"] for row in await counts(conn, "end")] == [1, 1]
    await clock.advance(6 * DAY)
    await summarise(conn)
    assert await of_hours(conn) == []
    await clock.advance(2 * DAY)
    await summarise(conn)
    (row,) = await counts(conn, "end")
    assert (row["is_hour"], row["jobs"], row["minute"].minute) == (True, 2, 0)
    (found,) = await stats.end_stats(conn, 20 * DAY)
    assert (found.jobs, found.run_p95 is not None, found.run_mean is not None) == (2, True, True)


async def test_hours_are_kept_for_thirty_days_and_totals_for_ever(conn: Connection, clock: Clock) -> None:
    await two_minutes_of_one_hour(conn, clock)
    await clock.advance(8 * DAY)
    await summarise(conn)
    await clock.advance(24 * DAY)
    await summarise(conn)
    assert await counts(conn, "end") == []
    assert (await totals(conn, "end"))[END] == 2


async def test_an_end_is_not_pruned_before_it_is_counted_for_good(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, retention=1)
    await summarise(conn)
    await completed_job(conn)
    await clock.advance(5 * MINUTE)
    prune = "select jobs from holdfast.prune_jobs()"
    assert await conn.fetchval(prune) == 0
    for _ in range(3):
        await summarise(conn)
        await clock.advance(10 * MINUTE)
    assert await conn.fetchval(prune) == 1
    await summarise(conn)
    assert (await totals(conn, "end"))[END] == 1
    assert [row["jobs"] for row in await counts(conn, "end")] == [1]


async def test_a_replay_before_the_count_does_not_hide_the_end(conn: Connection, clock: Clock) -> None:
    """It used to: the minute had one end when it was counted, whoever had ended before."""
    job = await dead_job(conn)
    await replay(conn, job.id)
    await dead_job(conn, task="other")
    await clock.advance(MINUTE)
    await summarise(conn)
    assert sum(row["jobs"] for row in await counts(conn, "end") if row["state"] == "dead") == 2
