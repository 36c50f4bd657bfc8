"""An operator says that the work is done."""

import json

import pytest

from holdfast.db import operator
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.model.operator_action import OperatorResult
from holdfast.model.payload import encode
from tests.builders import (
    complete,
    fail,
    ready_job,
    running_job,
    scheduled_job,
    state_of,
    the_job,
    waiting_job,
)

DONE = [OperatorResult.COMPLETED]


async def as_operator(conn: Connection, job: JobId) -> list[OperatorResult]:
    return [
        *(await operator.complete_as_operator(conn, [job], encode({"by": "hand"}), "paid", "Ada")).values()
    ]


@pytest.mark.parametrize("builder", [ready_job, scheduled_job, waiting_job])
async def test_a_job_that_waits_is_completed_as_a_try_of_its_own(conn: Connection, builder: object) -> None:
    assert callable(builder)
    job = JobId(await builder(conn))
    assert await as_operator(conn, job) == DONE
    row = await the_job(conn, job)
    assert (row["state"], row["attempt"], json.loads(row["output"])) == ("completed", 1, {"by": "hand"})
    assert row["reason"] == "completed by an operator: paid"


async def test_the_worker_of_a_job_that_an_operator_completed_is_fenced(conn: Connection) -> None:
    job = await running_job(conn)
    assert await as_operator(conn, JobId(job.id)) == DONE
    assert not await complete(conn, job, {"by": "worker"})
    row = await the_job(conn, job.id)
    assert (row["attempt"], json.loads(row["output"])) == (1, {"by": "hand"})


async def test_the_successful_attempt_is_not_one_that_failed(conn: Connection) -> None:
    job = await running_job(conn)
    await fail(conn, job)
    assert await as_operator(conn, JobId(job.id)) == DONE
    assert (await the_job(conn, job.id))["attempt"] == 2
    assert await as_operator(conn, JobId(job.id)) == [OperatorResult.ENDED]


async def test_the_next_in_line_may_run_when_an_operator_completes_the_head(conn: Connection) -> None:
    head = JobId(await ready_job(conn, order_key="k"))
    second = await ready_job(conn, order_key="k")
    await as_operator(conn, head)
    assert await state_of(conn, second) == "ready"
