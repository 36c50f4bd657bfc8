"""Counts, rate and estimate of a run."""

from datetime import timedelta
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, an_open_run, claim, complete, ready_jobs, scheduled_job, waiting_job
from tests.sql.conftest import Clock

PROGRESS = "select * from holdfast.run_progress($1)"


async def test_every_job_is_counted_in_its_state(conn: Connection) -> None:
    run = await an_open_run(conn, "import")
    await ready_jobs(conn, 4, run=run)
    worker = await a_worker(conn)
    done, _ = await claim(conn, worker, 2)
    await complete(conn, done)
    await scheduled_job(conn, run=run)
    await waiting_job(conn, run=run)
    (row,) = await conn.fetch(PROGRESS, run)
    assert (row["run"], row["name"], row["state"], row["total"]) == (run, "import", "open", 7)
    assert [row[name] for name in ("waiting", "scheduled", "ready", "running", "completed")] == [
        1,
        1,
        3,
        1,
        1,
    ]


async def test_rate_and_estimate_follow_the_clock(conn: Connection, clock: Clock) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 10, run=run)
    for job in await claim(conn, await a_worker(conn), 4):
        await complete(conn, job)
    await clock.advance(timedelta(minutes=2))
    (row,) = await conn.fetch(PROGRESS, run)
    assert row["rate_per_minute"] == pytest.approx(2, rel=0.05)
    assert row["eta"].total_seconds() == pytest.approx(180, rel=0.05)


async def test_a_run_without_ends_has_no_estimate_and_no_run_has_no_progress(conn: Connection) -> None:
    run = await an_open_run(conn)
    (row,) = await conn.fetch(PROGRESS, run)
    assert (row["eta"], row["total"]) == (None, 0)
    assert await conn.fetch(PROGRESS, uuid4()) == []
