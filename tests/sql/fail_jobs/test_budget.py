"""Which failures count, and how many make a job dead."""

from datetime import timedelta
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_queue,
    a_worker,
    attempts_of,
    cancel,
    claim,
    claim_one,
    fail,
    letter_of,
    running_job,
    state_of,
    the_job,
)
from tests.sql.conftest import Clock

LONG = timedelta(days=365)


async def tries(conn: Connection, **options: Any) -> int:
    """How often a job that always fails is tried."""
    worker = await a_worker(conn)
    job = await running_job(conn, worker, **options)
    while await state_of(conn, job.id) == "running":
        await fail(conn, job)
        await conn.execute("update holdfast.jobs set due_at = holdfast.now() where state = 'scheduled'")
        job = (await claim(conn, worker) or [job])[0]
    assert await state_of(conn, job.id) == "dead"
    return job.attempt


async def test_three_tries_in_all_by_default(conn: Connection) -> None:
    assert await tries(conn) == 3


async def test_a_list_of_delays_means_one_more_try_than_delays(conn: Connection) -> None:
    assert await tries(conn, retry=[1, 1, 1]) == 4
    assert await tries(conn, retry=[]) == 1


async def test_the_nearest_word_on_tries_wins(conn: Connection) -> None:
    await a_queue(conn, max_failures=2)
    assert await tries(conn) == 2
    await conn.execute("""select holdfast.declare_task('tasked', '{"max_failures": 4}')""")
    assert await tries(conn, task="tasked") == 4
    assert await tries(conn, task="tasked", max_failures=1) == 1
    assert await tries(conn, task="tasked", retry={"base": 1, "tries": 5}) == 5
    assert await tries(conn, task="tasked", retry={"base": 1}) == 4
    assert await tries(conn, max_failures=6, retry=[1]) == 6


async def test_a_dead_job_leaves_a_letter_with_its_last_error(conn: Connection) -> None:
    job = await running_job(conn, max_failures=1)
    await fail(conn, job, message="no luck", place="a.py:1 in f")
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert (letter["reason"], letter["class"], letter["error_type"], letter["message"], letter["status"]) == (
        "failed_too_often", "transient", "ValueError", "no luck", "open",
    )  # fmt: skip
    row = await the_job(conn, job.id)
    assert (row["state"], row["reason"], row["failures"]) == ("dead", "failed_too_often", 1)


async def test_a_permanent_error_is_dead_at_once(conn: Connection) -> None:
    job = await running_job(conn, max_failures=10)
    await fail(conn, job, "permanent")
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert letter["reason"] == "permanent"


@pytest.mark.parametrize("error_class", ["rate_limited", "system"])
async def test_a_deferral_costs_nothing(conn: Connection, clock: Clock, error_class: str) -> None:
    worker = await a_worker(conn, lease=LONG / 400)
    job = await running_job(conn, worker, max_failures=1)
    for n in range(1, 6):
        await fail(conn, job, error_class)
        row = await the_job(conn, job.id)
        assert (row["state"], row["failures"], row["deferrals"]) == ("scheduled", 0, n)
        await clock.advance(timedelta(minutes=7))
        job = await claim_one(conn, worker)
    assert [(row["outcome"], row["counted"]) for row in await attempts_of(conn, job.id)] == [
        ("deferred", False)
    ] * 5


async def test_a_rate_limited_job_waits_as_told_and_a_little_more(conn: Connection) -> None:
    job = await running_job(conn)
    await fail(conn, job, "rate_limited", retry_after=100)
    (attempt,) = await attempts_of(conn, job.id)
    assert 99.9 < (attempt["retry_at"] - attempt["ended_at"]).total_seconds() < 130.1


async def test_deferrals_without_being_told_double_up_to_five_minutes(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, lease=timedelta(days=1))
    job = await running_job(conn, worker)
    for _ in range(9):
        await fail(conn, job, "rate_limited")
        await clock.advance(timedelta(minutes=7))
        job = await claim_one(conn, worker)
    rows = await attempts_of(conn, job.id)
    for row, base in zip(rows, [5, 10, 20, 40, 80, 160, 300, 300, 300], strict=True):
        assert base - 0.1 < (row["retry_at"] - row["ended_at"]).total_seconds() < base * 1.3 + 0.1


async def deferred_until_dead(conn: Connection, clock: Clock, job: Running) -> int:
    count = 0
    while await state_of(conn, job.id) != "dead":
        count += 1
        await fail(conn, job, "rate_limited", retry_after=3600)
        await clock.advance(timedelta(hours=1, minutes=20))
        job = (await claim(conn, job.worker) or [job])[0]
    return count


async def test_a_job_deferred_for_longer_than_the_queue_waits_is_dead(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, max_wait="5 hours")
    worker = await a_worker(conn, lease=timedelta(days=1))
    job = await running_job(conn, worker)
    assert await deferred_until_dead(conn, clock, job) == 4
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert (letter["reason"], letter["class"]) == ("deferred_too_long", "rate_limited")


async def test_a_failure_that_counts_starts_the_wait_anew(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, max_wait="2 hours", retry={"base": 1, "jitter": 0, "tries": 10})
    worker = await a_worker(conn, lease=timedelta(days=1))
    job = await running_job(conn, worker)
    for error_class in ["rate_limited", "transient"] * 4:
        await fail(conn, job, error_class, retry_after=3000)
        await clock.advance(timedelta(minutes=66))
        job = await claim_one(conn, worker)
    assert await state_of(conn, job.id) == "running"


async def test_a_retry_that_would_come_after_the_deadline_is_not_made(conn: Connection, clock: Clock) -> None:
    soon = await clock.now() + timedelta(minutes=5)
    for error_class in ("transient", "rate_limited"):
        job = await running_job(conn, deadline=soon, retry=[600])
        await fail(conn, job, error_class, retry_after=600)
        letter = await letter_of(conn, job.id)
        assert letter is not None
        assert letter["reason"] == "deadline_passed"
        assert (await attempts_of(conn, job.id))[0]["retry_at"] is None


async def test_a_failed_job_that_was_asked_to_cancel_is_cancelled(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id)
    await fail(conn, job)
    assert await state_of(conn, job.id) == "cancelled"
    assert await letter_of(conn, job.id) is None
    assert len(await attempts_of(conn, job.id)) == 1
