"""An operator takes a job from its worker."""

from uuid import uuid4

from holdfast.db import operator
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.model.operator_action import OperatorResult
from tests.builders import (
    a_worker,
    cancel,
    claim_one,
    complete,
    completed_job,
    fail,
    ready_job,
    refusal,
    running_job,
    state_of,
    the_job,
)


async def reclaim(conn: Connection, *jobs: JobId) -> list[OperatorResult]:
    return [*(await operator.reclaim(conn, jobs, "it hangs", "Ada")).values()]


async def test_a_reclaimed_job_is_ready_at_no_cost_and_its_worker_is_fenced(conn: Connection) -> None:
    job = await running_job(conn)
    assert await reclaim(conn, JobId(job.id)) == [OperatorResult.RECLAIMED]
    row = await the_job(conn, job.id)
    assert (row["state"], row["failures"], row["losses"], row["deferrals"]) == ("ready", 0, 0, 1)
    assert not await complete(conn, job)
    assert not await fail(conn, job)
    again = await claim_one(conn, await a_worker(conn))
    assert (again.id, again.attempt) == (job.id, 2)
    assert await complete(conn, again)


async def test_a_job_that_was_asked_to_cancel_is_cancelled_instead(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id)
    assert await reclaim(conn, JobId(job.id)) == [OperatorResult.CANCELLED]
    assert await state_of(conn, job.id) == "cancelled"


async def test_what_does_not_run_is_left_alone(conn: Connection) -> None:
    assert await reclaim(conn, JobId(await ready_job(conn, queue="a"))) == [OperatorResult.NOT_RUNNING]
    assert await reclaim(conn, JobId((await completed_job(conn)).id)) == [OperatorResult.ENDED]
    assert await reclaim(conn, JobId(uuid4())) == [OperatorResult.NOT_FOUND]


async def test_the_audit_trail_says_who_and_why(conn: Connection) -> None:
    job = await running_job(conn)
    await reclaim(conn, JobId(job.id))
    event = await conn.fetchrow(
        "select cause, from_state, to_state, worker_id, actor, reason from holdfast.events where job_id = $1",
        job.id,
    )
    assert event is not None
    assert tuple(event) == ("reclaim", "running", "ready", job.worker, "Ada", "it hangs")


async def test_an_operator_action_needs_a_reason(conn: Connection) -> None:
    job = await running_job(conn)
    for call in (
        "reclaim_jobs($1, ' ', 'Ada')",
        "complete_as_operator($1, null, null, 'Ada')",
        "fail_as_operator($1, '', 'Ada')",
        "set_priority($1, 5, null, 'Ada')",
    ):
        error = await refusal(conn, f"select * from holdfast.{call}", [job.id])
        assert (error.sqlstate, error.message) == ("HF002", "reason must not be empty.")
    assert await state_of(conn, job.id) == "running"
