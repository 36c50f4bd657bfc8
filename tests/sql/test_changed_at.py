"""job_view.changed_at: when the state of a job last changed."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    cancel,
    claim_one,
    complete,
    expire_worker,
    fail,
    ready_job,
    release,
    replay,
    rescue,
    running_job,
    scheduled_job,
    settle,
    snooze,
    the_job,
    waiting_job,
)
from tests.sql.conftest import Clock

HOUR = timedelta(hours=1)


async def changed(conn: Connection, clock: Clock, job: UUID, state: str, since: datetime) -> None:
    """It is in this state since then, also an hour later."""
    until = await clock.now()
    await clock.advance(HOUR)
    row = await the_job(conn, job)
    assert row["state"] == state
    # An id carries its time in milliseconds.
    assert since - timedelta(milliseconds=1) <= row["changed_at"] <= until


async def test_a_new_job_changed_when_it_was_stored(conn: Connection, clock: Clock) -> None:
    now = await clock.now()
    await changed(conn, clock, await ready_job(conn), "ready", now)
    now = await clock.now()
    await changed(conn, clock, await scheduled_job(conn, HOUR * 9, queue="q"), "scheduled", now)
    now = await clock.now()
    await changed(conn, clock, await waiting_job(conn, queue="r"), "waiting", now)


async def test_a_job_changes_with_its_start_and_its_end(conn: Connection, clock: Clock) -> None:
    job = await ready_job(conn)
    await clock.advance(HOUR)
    now = await clock.now()
    running = await claim_one(conn, await a_worker(conn, lease=HOUR * 9))
    await changed(conn, clock, job, "running", now)
    now = await clock.now()
    await complete(conn, running)
    await changed(conn, clock, job, "completed", now)


async def test_a_job_changes_when_it_fails_and_when_it_is_due(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn, retry=[HOUR * 5], max_failures=5)
    await clock.advance(HOUR)
    now = await clock.now()
    await fail(conn, job)
    await changed(conn, clock, job.id, "scheduled", now)
    await clock.advance(HOUR * 5)
    now = await clock.now()
    await conn.execute("select holdfast.promote_jobs()")
    await changed(conn, clock, job.id, "ready", now)


async def test_a_job_changes_when_it_is_snoozed_or_released(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn)
    await clock.advance(HOUR)
    now = await clock.now()
    await snooze(conn, job, HOUR * 5)
    await changed(conn, clock, job.id, "scheduled", now)
    other = await running_job(conn, queue="q")
    await clock.advance(HOUR)
    now = await clock.now()
    await release(conn, other)
    await changed(conn, clock, other.id, "ready", now)


@pytest.mark.parametrize("detail", ["basic", "full"])
async def test_a_second_snooze_in_a_row_shows_at_detail_full(
    conn: Connection, clock: Clock, detail: str
) -> None:
    await a_queue(conn, detail=detail)
    first = await clock.now()
    job = await running_job(conn)
    await snooze(conn, job, HOUR * 2)
    await clock.advance(HOUR * 3)
    await conn.execute("select holdfast.promote_jobs()")
    again = await claim_one(conn, await a_worker(conn))
    now = await clock.now()
    await snooze(conn, again, HOUR * 9)
    shown = (await the_job(conn, job.id))["changed_at"]
    assert shown >= now if detail == "full" else first < shown < now


async def test_a_job_changes_when_it_waits_for_a_signal(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn)
    await clock.advance(HOUR)
    now = await clock.now()
    assert await settle(conn, job, "wait", {"for": "signal:go"})
    await changed(conn, clock, job.id, "waiting", now)


async def test_a_job_changes_when_it_is_rescued_cancelled_and_replayed(
    conn: Connection, clock: Clock
) -> None:
    job = await running_job(conn)
    await clock.advance(HOUR)
    await expire_worker(conn, job.worker)
    now = await clock.now()
    await rescue(conn)
    await changed(conn, clock, job.id, "ready", now)
    now = await clock.now()
    await cancel(conn, job.id)
    await changed(conn, clock, job.id, "cancelled", now)
    now = await clock.now()
    await replay(conn, job.id)
    await changed(conn, clock, job.id, "ready", now)
