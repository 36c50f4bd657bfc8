"""What ended, minute by minute, and what reports make of it."""

from datetime import timedelta

import pytest

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.stats import EndStats, StatsBy
from tests.builders import (
    cancelled_job,
    claim_one,
    complete,
    completed_job,
    dead_job,
    fail,
    refusal,
    rejected_job,
    replay,
    running_job,
)
from tests.sql.conftest import Clock

HOUR = timedelta(hours=1)


async def summarised(conn: Connection, clock: Clock, by: StatsBy = StatsBy.QUEUE) -> dict[str, EndStats]:
    await clock.advance(timedelta(minutes=1))
    await conn.execute("select holdfast.summarise_ends()")
    return {row.name: row for row in await stats.end_stats(conn, HOUR, by)}


async def test_ends_are_counted_by_state(conn: Connection, clock: Clock) -> None:
    for _ in range(3):
        await completed_job(conn, queue="q")
    await dead_job(conn, queue="q")
    await rejected_job(conn, queue="q")
    await cancelled_job(conn, queue="q")
    await completed_job(conn, queue="other", task="x")
    found = await summarised(conn, clock)
    q = found["q"]
    assert (q.jobs, q.completed, q.dead, q.rejected, q.cancelled) == (6, 3, 1, 1, 1)
    assert q.success_rate == 0.5
    assert q.per_minute == pytest.approx(0.1)
    assert {*found} == {"q", "other"}
    by_task = {row.name: row.jobs for row in await stats.end_stats(conn, HOUR, StatsBy.TASK)}
    assert by_task == {"task": 6, "x": 1}
    (total,) = await stats.end_stats(conn, HOUR, StatsBy.ALL)
    assert total.jobs == 7
    assert [row.jobs for row in await stats.end_stats(conn, HOUR, StatsBy.QUEUE, "other")] == [1]


async def test_retries_and_their_success_are_told(conn: Connection, clock: Clock) -> None:
    await completed_job(conn, queue="calm")
    await dead_job(conn, queue="calm")
    job = await running_job(conn, queue="q", retry={"delays": [0]})
    await fail(conn, job)
    assert await complete(conn, await claim_one(conn, job.worker))
    found = await summarised(conn, clock)
    assert (found["q"].retried, found["q"].retry_rate, found["q"].retry_success_rate) == (1, 1.0, 1.0)
    assert (found["calm"].retried, found["calm"].retry_success_rate) == (0, None)


async def test_percentiles_of_wait_and_run(conn: Connection, clock: Clock) -> None:
    await conn.execute(
        """
        insert into holdfast.history (
          id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals,
          generation, visit, ready_at, started_at
        )
        select gen_random_uuid(), 'completed', at, 'q', 'task', 1, 50, 1, 0, 0, 0, 1, 1,
          at - interval '3 seconds', at - i * interval '10 milliseconds'
        from generate_series(1, 100) as i, holdfast.now() as at
        """
    )
    q = (await summarised(conn, clock))["q"]
    assert q.run_p50 is not None
    assert q.run_p99 is not None
    assert timedelta(milliseconds=490) <= q.run_p50 <= timedelta(milliseconds=640)
    assert timedelta(milliseconds=980) <= q.run_p99 <= timedelta(milliseconds=1260)
    assert q.wait_p50 is not None
    assert timedelta(seconds=1.9) <= q.wait_p50 <= timedelta(seconds=4)


async def test_success_by_hour(conn: Connection, clock: Clock) -> None:
    await completed_job(conn)
    await clock.advance(timedelta(hours=2))
    await dead_job(conn)
    await clock.advance(timedelta(minutes=1))
    await conn.execute("select holdfast.summarise_ends()")
    rows = await stats.end_stats(conn, timedelta(hours=3), StatsBy.HOUR)
    assert [(row.jobs, row.success_rate) for row in rows] == [(1, 1.0), (1, 0.0)]


async def test_an_end_that_commits_late_is_counted_and_none_is_counted_twice(
    conn: Connection, clock: Clock
) -> None:
    await completed_job(conn, queue="q")
    assert (await summarised(conn, clock))["q"].jobs == 1
    await conn.execute(
        "insert into holdfast.history (id, state, ended_at, queue, task, lane, priority, attempt, failures,"
        " losses, deferrals, generation, visit) select gen_random_uuid(), state, ended_at, queue, task, lane,"
        " priority, attempt, failures, losses, deferrals, generation, visit from holdfast.history"
    )
    await clock.advance(timedelta(minutes=20))  # no transaction that was open then is waited for any longer
    assert (await summarised(conn, clock))["q"].jobs == 2
    assert (await summarised(conn, clock))["q"].jobs == 2


async def test_a_replayed_job_did_end(conn: Connection, clock: Clock) -> None:
    job = await dead_job(conn, queue="q")
    assert (await summarised(conn, clock))["q"].dead == 1
    await replay(conn, job.id)
    assert (await summarised(conn, clock))["q"].dead == 1


async def test_a_gap_of_days_is_made_up_for(conn: Connection, clock: Clock) -> None:
    await conn.execute("select holdfast.summarise_ends()")
    await clock.advance(timedelta(days=2))
    await completed_job(conn, queue="q")
    await clock.advance(timedelta(days=1))
    await conn.execute("select holdfast.summarise_ends()")
    assert [row.jobs for row in await stats.end_stats(conn, timedelta(days=4))] == [1]
    assert await stats.end_stats(conn, HOUR) == []


async def test_statistics_by_something_else_are_refused(conn: Connection) -> None:
    error = await refusal(conn, "select * from holdfast.end_stats('1 hour', 'colour')")
    assert error.sqlstate == "HF002"
