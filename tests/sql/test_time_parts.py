"""Where the time of a task went."""

from datetime import timedelta

import pytest

from holdfast.db import stats
from holdfast.db.connect import Connection
from tests.builders import cancelled_job, claim_one, complete, fail, renew, running_job, to_json
from tests.sql.conftest import Clock
from tests.sql.summarise_ends.scene import call, summarise

HOUR = timedelta(hours=1)


async def test_the_time_of_a_task_is_split_into_parts(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn)
    await call(conn, job, seconds=2)
    await call(conn, job, "tool", seconds=3)
    await clock.advance(timedelta(seconds=20))
    await complete(conn, job)
    await summarise(conn)
    (part,) = await stats.time_parts(conn, HOUR)
    assert (part.name, part.attempts, part.model, part.tool, part.database) == ("task", 1, 2, 3, 0)
    assert part.handler == pytest.approx(15, abs=1)


async def test_the_last_attempt_of_a_dead_job_counts_once(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn, retry={"delays": [0, 0]})
    for tried in range(3):
        if tried:
            job = await claim_one(conn, job.worker)
        await clock.advance(timedelta(seconds=2))
        await fail(conn, job)
    assert await conn.fetchval("select state from holdfast.history where id = $1", job.id) == "dead"
    await summarise(conn)
    (part,) = await stats.time_parts(conn, HOUR)
    assert part.attempts == 3
    assert part.handler == pytest.approx(6, abs=1)


async def test_a_job_that_was_cancelled_before_its_start_had_no_attempt(conn: Connection) -> None:
    await cancelled_job(conn)
    await summarise(conn)
    (part,) = await stats.time_parts(conn, HOUR)
    assert (part.attempts, part.waiting, part.handler) == (0, 0, 0)


async def test_what_handlers_waited_for_the_database_is_counted_once(conn: Connection) -> None:
    """A worker tells it since its start, so that an answer that was lost costs nothing."""
    job = await running_job(conn)
    for seconds in (2, 2, 5):
        await renew(conn, job.worker, database={"default": {"task": seconds, "odd": "x"}})
    await renew(conn, job.worker, database="nonsense")
    stop = "select holdfast.stop_worker($1, $2)"
    await conn.execute(stop, job.worker, to_json({"database": {"default": {"task": 6}}}))
    (part,) = await stats.time_parts(conn, HOUR)
    assert (part.name, part.database) == ("task", 6)
