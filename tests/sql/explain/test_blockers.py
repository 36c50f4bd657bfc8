"""Why a job is not running, first blocker first."""

import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.error import NotFound
from holdfast.model.id import JobId
from tests.builders import (
    a_queue,
    a_worker,
    cancel,
    cancelled_job,
    claim,
    claim_one,
    dead_job,
    expire_worker,
    fail,
    ready_job,
    ready_jobs,
    renew,
    running_job,
    scheduled_job,
)
from tests.sql.explain.random_world import STOP_CLOCK


async def blockers(conn: Connection, job: UUID) -> list[str]:
    return [one.blocker for one in await stats.explain(conn, JobId(job)) if one.blocks]


async def test_a_job_that_a_worker_may_claim_has_no_blocker(conn: Connection) -> None:
    job = await ready_job(conn)
    await a_worker(conn)
    assert await stats.explain(conn, JobId(job)) == []


async def test_a_paused_queue_is_named_with_its_reason(conn: Connection) -> None:
    job = await ready_job(conn)
    await a_worker(conn)
    await conn.execute("select holdfast.pause_queue('default', 'vendor is down', 'Ada')")
    (blocker,) = await stats.explain(conn, JobId(job))
    assert blocker.blocker == "paused"
    assert "vendor is down" in blocker.detail


async def test_blockers_come_in_order(conn: Connection) -> None:
    job = await scheduled_job(conn)
    await conn.execute("select holdfast.pause_queue('default')")
    assert await blockers(conn, job) == ["scheduled", "paused", "no_worker"]


async def test_a_running_job_tells_when_its_worker_was_heard_from_and_when_its_jobs_are_taken_over(
    conn: Connection,
) -> None:
    await conn.execute(STOP_CLOCK)
    job = await running_job(conn)
    heard = (
        "update holdfast.workers set renewed_at = now() - $1::interval, lease_until = now() + $2::interval"
    )
    await conn.execute(heard, timedelta(seconds=7), timedelta(seconds=23))
    (running,) = await stats.explain(conn, JobId(job.id))
    assert running.detail.endswith(
        "; last heartbeat 7 s ago; if it stays silent, its jobs are taken over in 23 s."
    )
    await conn.execute(heard, timedelta(minutes=5), timedelta(seconds=-1))
    (running,) = await stats.explain(conn, JobId(job.id))
    assert running.detail.endswith(
        "; last heartbeat 5 min ago; its lease has ended,"
        " so the next sweep of any worker takes its jobs over."
    )


async def test_times_are_told_in_utc_to_the_second(conn: Connection) -> None:
    await conn.execute("set local timezone = 'Asia/Kathmandu'")
    job = await running_job(conn)
    (running,) = await stats.explain(conn, JobId(job.id))
    assert re.search(r" since \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ, attempt 1;", running.detail)


async def test_a_scheduled_job_says_until_when(conn: Connection) -> None:
    await a_worker(conn)
    job = await scheduled_job(conn, timedelta(hours=2))
    (first,) = await stats.explain(conn, JobId(job))
    assert (first.blocker, first.detail) == ("scheduled", "It is not due yet.")
    assert first.until == await conn.fetchval("select due_at from holdfast.jobs where id = $1", job)
    retried = await running_job(conn, queue="other")
    await fail(conn, retried)
    (again,) = await stats.explain(conn, JobId(retried.id))
    assert (again.blocker, again.detail) == ("scheduled", "It waits for its next try.")


async def test_a_failure_of_the_endpoint_that_did_not_count_is_told_with_when_one_will(
    conn: Connection,
) -> None:
    worker = await a_worker(conn)
    await conn.execute("""select holdfast.declare_endpoint('model', '{"mode": "fixed", "max": 2}')""")
    first, second = await ready_jobs(conn, 2, endpoint="model", max_failures=3)
    for job in await claim(conn, worker, 2):
        await fail(conn, job)
    assert "not_counted" not in {one.blocker for one in await stats.explain(conn, JobId(first))}
    waits, told, *_ = await stats.explain(conn, JobId(second))
    assert (waits.blocker, told.blocker, told.blocks) == ("scheduled", "not_counted", False)
    assert "Endpoint model failed its last try" in told.detail
    assert "From try 12 on (1 so far)" in told.detail


async def test_a_worker_that_is_lost_draining_or_stopped_is_no_worker(conn: Connection) -> None:
    job = await ready_job(conn)
    lost, draining, stopped = [await a_worker(conn) for _ in range(3)]
    assert await blockers(conn, job) == []
    await expire_worker(conn, lost)
    await renew(conn, draining, state="draining")
    await conn.execute("select holdfast.stop_worker($1)", stopped)
    assert await blockers(conn, job) == ["no_worker"]


async def test_a_group_without_a_worker_is_named(conn: Connection) -> None:
    job = await ready_job(conn, group="gpu")
    await a_worker(conn)
    blocker, unknown = await stats.explain(conn, JobId(job))
    assert (unknown.blocker, unknown.blocks) == ("unknown_task", False)
    assert blocker.blocker == "no_worker_in_group"
    assert "gpu" in blocker.detail
    await a_worker(conn, group="gpu")
    assert await blockers(conn, job) == []


async def test_a_task_that_no_worker_knows_is_told_but_does_not_block(conn: Connection) -> None:
    job = await ready_job(conn, task="strange")
    await a_worker(conn, tasks=["known"])
    (note,) = await stats.explain(conn, JobId(job))
    assert (note.blocker, note.blocks) == ("unknown_task", False)
    await a_worker(conn, tasks=["strange"])
    assert await stats.explain(conn, JobId(job)) == []


async def test_a_task_that_is_registered_nowhere_is_told_where_no_worker_is_there(conn: Connection) -> None:
    job = await ready_job(conn, task="gret")
    _, unknown = await stats.explain(conn, JobId(job))
    assert (unknown.blocker, unknown.blocks) == ("unknown_task", False)
    assert unknown.detail == "No worker or app has registered the task gret: check its name."
    await conn.execute("select holdfast.declare_task('gret', '{}')")
    assert await blockers(conn, job) == ["no_worker"]


async def test_a_dead_job_tells_what_it_died_of(conn: Connection) -> None:
    job = await dead_job(conn, "the bank did not answer")
    (told,) = await stats.explain(conn, JobId(job.id))
    assert told.blocker == "ended"
    assert "ValueError: the bank did not answer (" in told.detail


async def test_a_lane_that_all_its_workers_avoid_is_told_with_until_when(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_job(conn, task="strange")
    await fail(conn, await claim_one(conn, worker), "system", type="UnknownTask")
    job = await ready_job(conn)
    (told,) = await stats.explain(conn, JobId(job))
    assert (told.blocker, told.blocks) == ("avoided", True)
    assert told.until is not None
    await a_worker(conn)
    assert await blockers(conn, job) == []


async def test_the_holder_of_an_order_key_is_named(conn: Connection) -> None:
    await a_worker(conn)
    head, second = await ready_job(conn, order_key="k"), await ready_job(conn, order_key="k")
    (blocker,) = await stats.explain(conn, JobId(second))
    assert blocker.blocker == "order"
    assert str(head) in blocker.detail


async def test_a_passed_deadline_is_told(conn: Connection) -> None:
    await a_worker(conn)
    job = await ready_job(conn)
    await conn.execute("update holdfast.jobs set deadline = now() - interval '1 minute' where id = $1", job)
    assert await blockers(conn, job) == ["deadline_passed"]


async def test_a_job_behind_others_for_its_endpoint_is_told(conn: Connection) -> None:
    await a_worker(conn)
    await conn.execute("""select holdfast.declare_endpoint('model', '{"mode": "fixed", "max": 2}')""")
    first, second, third, urgent = await ready_jobs(conn, 4, endpoint="model")
    await conn.execute("update holdfast.jobs set urgency = 90 where id = $1", urgent)
    assert [await blockers(conn, job) for job in (urgent, first)] == [[], []]
    (told,) = await stats.explain(conn, JobId(second))
    assert (told.blocker, told.blocks) == ("behind", True)
    assert told.detail.startswith("2 jobs stand before it")
    assert await blockers(conn, third) == ["behind"]


async def test_a_running_job_names_its_worker_and_its_limit(conn: Connection) -> None:
    worker = await a_worker(conn, host="node-7")
    job = await ready_job(conn, timeout=60)
    await claim_one(conn, worker)
    await cancel(conn, job)
    (told,) = await stats.explain(conn, JobId(job))
    assert told.blocker == "running"
    assert str(worker) in told.detail
    assert "node-7" in told.detail
    assert "asked to cancel" in told.detail
    assert told.until is not None


async def test_an_ended_job_tells_its_end_and_an_unknown_one_is_not_found(conn: Connection) -> None:
    (told,) = await stats.explain(conn, JobId(await cancelled_job(conn)))
    assert told.blocker == "ended"
    assert "cancelled" in told.detail
    with pytest.raises(NotFound):
        await stats.explain(conn, JobId(uuid4()))


async def test_a_draining_worker_claims_nothing(conn: Connection) -> None:
    await a_queue(conn)
    job = await ready_job(conn)
    worker = await a_worker(conn)
    await renew(conn, worker, state="draining")
    assert await conn.fetch("select * from holdfast.claim_jobs($1, 1)", worker) == []
    assert await blockers(conn, job) == ["no_worker"]
