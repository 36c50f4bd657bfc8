"""running -> ready: a worker gives back what it cannot finish."""

from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    attempts_of,
    cancel,
    claim,
    claim_one,
    ready_jobs,
    release,
    running_job,
    state_of,
    the_job,
)


async def test_a_released_job_is_ready_at_once_and_costs_nothing(conn: Connection) -> None:
    job = await running_job(conn, max_failures=1)
    for _ in range(10):
        assert await release(conn, job)
        job = await claim_one(conn, job.worker)
    row = await the_job(conn, job.id)
    assert (row["attempt"], row["failures"], row["losses"], row["deferrals"]) == (11, 0, 0, 10)
    assert await attempts_of(conn, job.id) == []


async def test_of_many_only_the_lost_come_back(conn: Connection) -> None:
    await ready_jobs(conn, 4)
    jobs = await claim(conn, await a_worker(conn), 4)
    tokens = [jobs[0].token, uuid4(), jobs[2].token, uuid4()]
    lost = await conn.fetch("select holdfast.release_jobs($1, $2)", [job.id for job in jobs], tokens)
    assert {row[0] for row in lost} == {jobs[1].id, jobs[3].id}
    assert [await state_of(conn, job.id) for job in jobs] == ["ready", "running"] * 2


async def test_a_released_job_that_was_asked_to_cancel_is_cancelled(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id)
    assert await release(conn, job)
    assert await state_of(conn, job.id) == "cancelled"
