"""running -> completed."""

import json
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    cancel,
    cancelled_job,
    claim,
    claim_one,
    complete,
    completed_job,
    dead_job,
    expire_worker,
    ready_jobs,
    rejected_job,
    release,
    rescue,
    running_job,
    scheduled_job,
    state_of,
    the_job,
    waiting_job,
)

COMPLETE = "select * from holdfast.complete_jobs($1, $2, $3, $4)"


async def test_a_completed_job_keeps_all_that_matters(conn: Connection) -> None:
    job = await running_job(conn, payload={"a": 1}, labels={"l": 2}, priority=9)
    assert await complete(conn, job, {"answer": [1, None]})
    row = await the_job(conn, job.id)
    assert (row["state"], row["attempt"], row["worker"]) == ("completed", 1, job.worker)
    assert json.loads(row["output"]) == {"answer": [1, None]}
    assert (json.loads(row["payload"]), json.loads(row["labels"]), row["priority"]) == ({"a": 1}, {"l": 2}, 9)
    assert row["started_at"] <= row["ended_at"]
    token = await conn.fetchval("select token from holdfast.history where id = $1", job.id)
    assert token == job.token


async def test_a_job_ends_once(conn: Connection) -> None:
    job = await running_job(conn)
    assert await complete(conn, job, 1)
    assert not await complete(conn, job, 2)
    assert (await the_job(conn, job.id))["output"] == "1"
    assert await conn.fetchval("select count(*) from holdfast.history") == 1


async def test_a_stale_worker_cannot_complete_a_rescued_job(conn: Connection) -> None:
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    await rescue(conn)
    assert not await complete(conn, job)
    assert await state_of(conn, job.id) == "ready"
    again = await claim_one(conn, await a_worker(conn))
    assert not await complete(conn, job)
    assert await complete(conn, again)


async def test_a_late_worker_whom_nobody_replaced_may_finish(conn: Connection) -> None:
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    assert await complete(conn, job)


async def test_a_job_that_was_given_back_cannot_be_completed(conn: Connection) -> None:
    job = await running_job(conn)
    await release(conn, job)
    assert not await complete(conn, job)


@pytest.mark.parametrize(
    "state", ["ready", "scheduled", "waiting", "completed", "rejected", "cancelled", "dead"]
)
async def test_only_a_running_job_can_be_completed(conn: Connection, state: str) -> None:
    match state:
        case "ready":
            (job,) = await ready_jobs(conn, 1)
        case "scheduled":
            job = await scheduled_job(conn)
        case "waiting":
            job = await waiting_job(conn)
        case "completed":
            job = (await completed_job(conn)).id
        case "rejected":
            job = (await rejected_job(conn)).id
        case "cancelled":
            job = await cancelled_job(conn)
        case _:
            job = (await dead_job(conn)).id
    for token in (uuid4(), None):
        assert [row[0] for row in await conn.fetch(COMPLETE, [job], [token], ["1"], None)] == [job]
    assert await state_of(conn, job) == state


async def test_of_many_only_the_lost_come_back(conn: Connection) -> None:
    await ready_jobs(conn, 10)
    jobs = await claim(conn, await a_worker(conn), 10)
    tokens = [job.token if n % 2 else uuid4() for n, job in enumerate(jobs)]
    lost = await conn.fetch(COMPLETE, [job.id for job in jobs], tokens, ["1"] * 10, None)
    assert {row[0] for row in lost} == {job.id for job in jobs[::2]}
    assert await conn.fetchval("select count(*) from holdfast.history") == 5


async def test_a_job_that_was_asked_to_cancel_may_still_complete(conn: Connection) -> None:
    job = await running_job(conn)
    assert await cancel(conn, job.id) == "asked"
    assert await complete(conn, job)
    assert await state_of(conn, job.id) == "completed"


async def test_units_of_all_attempts_add_up(conn: Connection) -> None:
    job = await running_job(conn, retry=[0])
    await conn.fetch("select holdfast.fail_jobs($1, $2, $3)", [job.id], [job.token], ['{"units": 1.25}'])
    again = await claim_one(conn, job.worker)
    await conn.fetch(COMPLETE, [again.id], [again.token], [None], ['{"units": 2}'])
    assert (await the_job(conn, job.id))["units"] == 3.25
