"""running -> scheduled: when a failed job is tried again."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import install_fake_clock
from tests.builders import (
    a_queue,
    a_worker,
    attempts_of,
    claim,
    claim_one,
    fail,
    ready_jobs,
    running_job,
    state_of,
    the_job,
)
from tests.sql.conftest import Clock

DAY = timedelta(days=1)


async def waits(conn: Connection, clock: Clock, failures: int, **options: Any) -> list[float]:
    """The seconds between each failure and the next try."""
    worker = await a_worker(conn, lease=DAY)
    job = await running_job(conn, worker, max_failures=100, **options)
    seen = []
    for n in range(failures):
        assert await fail(conn, job)
        attempt = (await attempts_of(conn, job.id))[n]
        seen.append((attempt["retry_at"] - attempt["ended_at"]).total_seconds())
        await clock.advance(timedelta(seconds=seen[-1] + 1))
        await conn.execute("select holdfast.renew_lease($1)", worker)
        job = await claim_one(conn, worker)
    return seen


async def test_a_list_of_delays_is_followed_and_its_last_repeats(conn: Connection, clock: Clock) -> None:
    seen = await waits(conn, clock, 4, retry={"delays": [60, 300, 900]})
    assert seen == pytest.approx([60, 300, 900, 900], abs=0.1)


async def test_exponential_delays_grow_to_their_cap(conn: Connection, clock: Clock) -> None:
    policy = {"base": 10, "factor": 3, "cap": 200, "jitter": 0}
    assert await waits(conn, clock, 5, retry=policy) == pytest.approx([10, 30, 90, 200, 200], abs=0.1)


async def test_jitter_only_adds(conn: Connection, clock: Clock) -> None:
    policy = {"base": 100, "factor": 1, "cap": 100, "jitter": 0.5}
    seen = await waits(conn, clock, 12, retry=policy)
    assert all(99.9 < wait < 150.1 for wait in seen)
    assert len({round(wait, 3) for wait in seen}) > 6


async def test_the_default_is_five_seconds_doubled_with_jitter(conn: Connection, clock: Clock) -> None:
    first, second = await waits(conn, clock, 2)
    assert 4.9 < first < 6.6
    assert 9.9 < second < 13.1


async def test_the_jobs_policy_wins_over_its_tasks_and_that_over_its_queues(
    conn: Connection, clock: Clock
) -> None:
    await a_queue(conn, retry=[10])
    assert await waits(conn, clock, 1) == pytest.approx([10], abs=0.1)
    await conn.execute("""select holdfast.declare_task('tasked', '{"retry": [20]}')""")
    assert await waits(conn, clock, 1, task="tasked") == pytest.approx([20], abs=0.1)
    assert await waits(conn, clock, 1, task="tasked", retry=[30]) == pytest.approx([30], abs=0.1)


async def test_a_longer_retry_after_wins_and_a_shorter_one_does_not(conn: Connection) -> None:
    await install_fake_clock(conn)
    for asked, expected in [(500, 500), (1, 60), (10**6, 3600)]:
        job = await running_job(conn, retry=[60])
        await fail(conn, job, retry_after=asked)
        (attempt,) = await attempts_of(conn, job.id)
        wait = (attempt["retry_at"] - attempt["ended_at"]).total_seconds()
        assert wait == pytest.approx(expected, abs=0.1)


async def test_no_delay_means_ready_at_once(conn: Connection) -> None:
    job = await running_job(conn, retry="chat")
    await fail(conn, job)
    assert await state_of(conn, job.id) == "ready"


async def test_a_retry_is_not_claimed_before_its_time(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, lease=DAY)
    job = await running_job(conn, worker, retry=[60])
    await fail(conn, job)
    await clock.advance(timedelta(seconds=59))
    assert await claim(conn, worker) == []
    await clock.advance(timedelta(seconds=1))
    assert (await claim_one(conn, worker)).attempt == 2


async def test_a_stale_failure_changes_nothing(conn: Connection) -> None:
    job = await running_job(conn)
    lost = await conn.fetch("select holdfast.fail_jobs($1, $2, $3)", [job.id], [uuid4()], [None])
    assert [row[0] for row in lost] == [job.id]
    assert await state_of(conn, job.id) == "running"
    assert await attempts_of(conn, job.id) == []


async def test_of_many_failures_each_is_judged_alone(conn: Connection) -> None:
    await ready_jobs(conn, 6)
    jobs = await claim(conn, await a_worker(conn), 6)
    details = ['{"class": "permanent"}', '{"class": "transient"}', None]
    tokens = [job.token if n < 5 else uuid4() for n, job in enumerate(jobs)]
    lost = await conn.fetch(
        "select holdfast.fail_jobs($1, $2, $3)", [job.id for job in jobs], tokens, details * 2
    )
    assert [row[0] for row in lost] == [jobs[5].id]
    states = [await state_of(conn, job.id) for job in jobs]
    assert states == ["dead", "scheduled", "scheduled", "dead", "scheduled", "running"]


async def test_a_retried_job_carries_no_trace_of_its_worker(conn: Connection) -> None:
    job = await running_job(conn)
    await fail(conn, job)
    row = await the_job(conn, job.id)
    assert (row["worker"], row["started_at"], row["failures"]) == (None, None, 1)
