"""An operator says that the work is done."""

import json

import pytest

from holdfast.db import manual
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.model.manual import ManualResult
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

DONE = [ManualResult.COMPLETED]


async def by_hand(conn: Connection, job: JobId) -> list[ManualResult]:
    return [*(await manual.complete_by_hand(conn, [job], encode({"by": "hand"}), "paid", "Ada")).values()]


@pytest.mark.parametrize("builder", [ready_job, scheduled_job, waiting_job])
async def test_a_job_that_waits_is_completed_as_a_try_of_its_own(conn: Connection, builder: object) -> None:
    assert callable(builder)
    job = JobId(await builder(conn))
    assert await by_hand(conn, job) == DONE
    row = await the_job(conn, job)
    assert (row["state"], row["attempt"], json.loads(row["output"])) == ("completed", 1, {"by": "hand"})
    assert row["reason"] == "completed by hand: paid"


async def test_the_worker_of_a_job_completed_by_hand_is_fenced(conn: Connection) -> None:
    job = await running_job(conn)
    assert await by_hand(conn, JobId(job.id)) == DONE
    assert not await complete(conn, job, {"by": "worker"})
    row = await the_job(conn, job.id)
    assert (row["attempt"], json.loads(row["output"])) == (1, {"by": "hand"})


async def test_the_successful_attempt_is_not_one_that_failed(conn: Connection) -> None:
    job = await running_job(conn)
    await fail(conn, job)
    assert await by_hand(conn, JobId(job.id)) == DONE
    assert (await the_job(conn, job.id))["attempt"] == 2
    assert await by_hand(conn, JobId(job.id)) == [ManualResult.ENDED]


async def test_the_next_in_line_may_run_when_the_head_is_completed_by_hand(conn: Connection) -> None:
    head = JobId(await ready_job(conn, order_key="k"))
    second = await ready_job(conn, order_key="k")
    await by_hand(conn, head)
    assert await state_of(conn, second) == "ready"
