"""Jobs of one order key run one at a time, in commit order, whatever happens to those in the line."""

from datetime import timedelta
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    cancel,
    claim,
    claim_one,
    complete,
    expire_worker,
    fail,
    ready_job,
    ready_jobs,
    release,
    replay,
    rescue,
    settle,
    snooze,
    state_of,
    the_job,
)
from tests.sql.conftest import Clock


async def line_of(conn: Connection, count: int, **options: object) -> list[UUID]:
    return [await ready_job(conn, order_key="k", **options) for _ in range(count)]


async def states(conn: Connection, jobs: list[UUID]) -> list[str | None]:
    return [await state_of(conn, job) for job in jobs]


async def test_only_the_head_is_ready(conn: Connection) -> None:
    jobs = await line_of(conn, 3)
    assert await states(conn, jobs) == ["ready", "waiting", "waiting"]
    worker = await a_worker(conn)
    assert [job.id for job in await claim(conn, worker, 10)] == [jobs[0]]
    assert await claim(conn, worker, 10) == []


async def test_jobs_of_one_call_stand_in_line_as_given(conn: Connection) -> None:
    jobs = await ready_jobs(conn, 20, order_key="k")
    worker = await a_worker(conn)
    done = []
    for _ in jobs:
        job = await claim_one(conn, worker)
        await complete(conn, job)
        done.append(job.id)
    assert done == jobs


async def test_other_keys_do_not_wait(conn: Connection) -> None:
    await line_of(conn, 2)
    assert await state_of(conn, await ready_job(conn, order_key="other")) == "ready"
    assert await state_of(conn, await ready_job(conn)) == "ready"


@pytest.mark.parametrize("end", ["complete", "reject", "cancel", "fail"])
async def test_any_end_of_the_head_readies_the_next_alone(conn: Connection, end: str) -> None:
    jobs = await line_of(conn, 3)
    head = await claim_one(conn, await a_worker(conn))
    await settle(conn, head, end, {"class": "permanent"})
    assert (await states(conn, jobs))[1:] == ["ready", "waiting"]


@pytest.mark.parametrize("verb", ["fail", "snooze", "release"])
async def test_a_head_that_is_tried_again_keeps_its_place(conn: Connection, verb: str) -> None:
    jobs = await line_of(conn, 2)
    head = await claim_one(conn, await a_worker(conn))
    await settle(conn, head, verb, {"class": "transient", "delay": 60})
    assert (await states(conn, jobs))[1] == "waiting"


async def test_a_rescued_head_keeps_its_place(conn: Connection) -> None:
    jobs = await line_of(conn, 2)
    worker = await a_worker(conn)
    await claim_one(conn, worker)
    await expire_worker(conn, worker)
    await rescue(conn)
    assert await states(conn, jobs) == ["ready", "waiting"]


async def test_a_head_that_dies_of_losses_makes_room(conn: Connection) -> None:
    jobs = await line_of(conn, 2)
    for _ in range(3):
        worker = await a_worker(conn)
        await claim_one(conn, worker)
        await expire_worker(conn, worker)
        await rescue(conn)
    assert await states(conn, jobs) == ["dead", "ready"]


async def test_a_cancelled_head_makes_room(conn: Connection) -> None:
    jobs = await line_of(conn, 2)
    await cancel(conn, jobs[0])
    assert await states(conn, jobs) == ["cancelled", "ready"]


async def test_a_cancelled_one_that_waits_is_passed_over(conn: Connection) -> None:
    jobs = await line_of(conn, 3)
    await cancel(conn, jobs[1])
    assert await states(conn, jobs) == ["ready", "cancelled", "waiting"]
    await cancel(conn, jobs[0])
    assert await state_of(conn, jobs[2]) == "ready"


async def test_a_whole_line_cancelled_in_one_call_leaves_nothing(conn: Connection) -> None:
    jobs = await line_of(conn, 5)
    await conn.execute("select holdfast.cancel_jobs($1)", jobs)
    assert set(await states(conn, jobs)) == {"cancelled"}
    assert await conn.fetchval("select count(*) from holdfast.order_keys") == 0
    assert await state_of(conn, await ready_job(conn, order_key="k")) == "ready"


async def test_the_deadline_of_one_that_waits_or_leads_ends_it_and_the_line_goes_on(
    conn: Connection, clock: Clock
) -> None:
    soon = await clock.now() + timedelta(minutes=1)
    head = await ready_job(conn, order_key="k", deadline=soon)
    waits = await ready_job(conn, order_key="k", deadline=soon)
    last = await ready_job(conn, order_key="k")
    await clock.advance(timedelta(minutes=2))
    assert (await rescue(conn))["expired"] == 2
    assert await states(conn, [head, waits, last]) == ["dead", "dead", "ready"]


async def test_the_next_is_scheduled_if_it_is_not_yet_due(conn: Connection) -> None:
    head = await ready_job(conn, order_key="k")
    later = await ready_job(conn, order_key="k", delay=60)
    assert await states(conn, [head, later]) == ["ready", "waiting"]
    due = (await the_job(conn, later))["due_at"]
    await cancel(conn, head)
    assert await state_of(conn, later) == "scheduled"
    assert (await the_job(conn, later))["due_at"] == due


async def test_a_scheduled_head_holds_the_others_back(conn: Connection) -> None:
    jobs = [await ready_job(conn, order_key="k", delay=60), await ready_job(conn, order_key="k")]
    assert await states(conn, jobs) == ["scheduled", "waiting"]


async def test_a_replayed_job_goes_to_the_end_of_the_line(conn: Connection) -> None:
    jobs = await line_of(conn, 2)
    await cancel(conn, jobs[0])
    assert await replay(conn, jobs[0]) == "replayed"
    assert await states(conn, jobs) == ["waiting", "ready"]
    await cancel(conn, jobs[1])
    assert await state_of(conn, jobs[0]) == "ready"


async def test_a_key_is_forgotten_with_its_last_job(conn: Connection) -> None:
    await line_of(conn, 1)
    await complete(conn, await claim_one(conn, await a_worker(conn)))
    assert await conn.fetchval("select count(*) from holdfast.order_keys") == 0


async def test_snoozes_and_releases_and_failures_of_a_line_never_run_two_at_once(
    conn: Connection, clock: Clock
) -> None:
    jobs = await line_of(conn, 4)
    worker = await a_worker(conn, lease=timedelta(days=1))
    done: list[UUID] = []
    for step in range(40):
        claimed = await claim(conn, worker, 10)
        assert len(claimed) <= 1
        for job in claimed:
            match step % 4:
                case 0:
                    await snooze(conn, job, timedelta(seconds=30))
                case 1:
                    await release(conn, job)
                case 2:
                    await fail(conn, job, "rate_limited")
                case _:
                    await complete(conn, job)
                    done.append(job.id)
        await clock.advance(timedelta(minutes=10))
    assert done == jobs
