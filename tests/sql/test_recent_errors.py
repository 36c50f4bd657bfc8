"""Attempts that went wrong lately, those that are alike together."""

from datetime import timedelta

from holdfast.db import stats
from holdfast.db.connect import Connection
from tests.builders import claim_one, dead_job, fail, running_job
from tests.sql.conftest import Clock

HOUR = timedelta(hours=1)


async def test_attempts_of_one_error_are_counted_with_their_jobs(conn: Connection) -> None:
    job = await running_job(conn, retry={"delays": [0, 0]}, queue="q")
    await fail(conn, job, message="line 1 broke")
    await fail(conn, await claim_one(conn, job.worker), message="line 2 broke")
    other = await dead_job(conn, "other", queue="p")
    first, second = await stats.recent_errors(conn, HOUR)
    assert (first.attempts, first.jobs, first.message, first.sample) == (2, 1, "line 2 broke", job.id)
    assert (first.queues, first.tasks, first.outcomes) == (["q"], ["task"], ["failed"])
    assert (second.attempts, second.sample, second.error_class) == (1, other.id, "permanent")
    assert not first.is_partial


async def test_a_filter_and_the_span_choose(conn: Connection, clock: Clock) -> None:
    await dead_job(conn, "early", queue="q")
    await clock.advance(timedelta(hours=2))
    await dead_job(conn, "late", queue="q")
    await dead_job(conn, "elsewhere", queue="p")
    (found,) = await stats.recent_errors(conn, HOUR, {"queue": "q"})
    assert found.message == "late"
    assert len(await stats.recent_errors(conn, 3 * HOUR)) == 3
    assert await stats.recent_errors(conn, HOUR, {"class": "transient"}) == []
    assert len(await stats.recent_errors(conn, HOUR, limit=1)) == 1
