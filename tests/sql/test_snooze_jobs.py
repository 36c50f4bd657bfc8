"""running -> scheduled at the handler's wish, at no cost."""

from datetime import timedelta
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    attempts_of,
    cancel,
    claim_one,
    letter_of,
    running_job,
    snooze,
    state_of,
    the_job,
)
from tests.sql.conftest import Clock


async def test_a_snoozed_job_comes_back_later_and_costs_nothing(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, lease=timedelta(hours=1))
    job = await running_job(conn, worker, max_failures=1)
    start = await clock.now()
    assert await snooze(conn, job, timedelta(minutes=5))
    row = await the_job(conn, job.id)
    assert (row["state"], row["failures"], row["losses"], row["deferrals"]) == ("scheduled", 0, 0, 1)
    assert abs(row["due_at"] - start - timedelta(minutes=5)) < timedelta(seconds=2)
    assert await attempts_of(conn, job.id) == []
    await clock.advance(timedelta(minutes=5))
    assert (await claim_one(conn, worker)).attempt == 2


async def test_a_snooze_of_no_time_is_ready_at_once(conn: Connection) -> None:
    job = await running_job(conn)
    assert await snooze(conn, job, timedelta())
    assert await state_of(conn, job.id) == "ready"


async def test_a_stale_snooze_changes_nothing(conn: Connection) -> None:
    job = await running_job(conn)
    lost = await conn.fetch(
        "select holdfast.snooze_jobs($1, $2, $3)", [job.id, uuid4()], [uuid4(), job.token], [None, None]
    )
    assert len(lost) == 2
    assert await state_of(conn, job.id) == "running"


async def test_snoozing_without_end_is_dead_after_the_queues_longest_wait(
    conn: Connection, clock: Clock
) -> None:
    await a_queue(conn, max_wait="150 minutes")
    worker = await a_worker(conn, lease=timedelta(days=1))
    job = await running_job(conn, worker)
    for _ in range(3):
        await snooze(conn, job, timedelta(hours=1) - timedelta(seconds=1))
        await clock.advance(timedelta(hours=1))
        job = await claim_one(conn, worker)
    await snooze(conn, job, timedelta(hours=1))
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert letter["reason"] == "deferred_too_long"


async def test_one_snooze_may_be_longer_than_the_queues_longest_wait(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, max_wait="3 hours")
    job = await running_job(conn)
    await snooze(conn, job, timedelta(days=2))
    assert await state_of(conn, job.id) == "scheduled"


async def test_a_snooze_past_the_deadline_is_dead(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn, deadline=await clock.now() + timedelta(minutes=1))
    await snooze(conn, job, timedelta(minutes=2))
    assert await state_of(conn, job.id) == "dead"


async def test_a_snoozed_job_that_was_asked_to_cancel_is_cancelled(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id)
    await snooze(conn, job, timedelta(minutes=1))
    assert await state_of(conn, job.id) == "cancelled"
