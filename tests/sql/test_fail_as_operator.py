"""An operator gives jobs up."""

import pytest

from holdfast.db import dead, operator
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.model.operator_action import OperatorResult
from tests.builders import (
    complete,
    fail,
    ready_job,
    replay,
    running_job,
    scheduled_job,
    state_of,
    waiting_job,
)


async def give_up(conn: Connection, job: JobId) -> list[OperatorResult]:
    return [*(await operator.fail_as_operator(conn, [job], "not worth it", "Ada")).values()]


@pytest.mark.parametrize("builder", [ready_job, scheduled_job, waiting_job])
async def test_a_job_given_up_is_dead_with_a_letter(conn: Connection, builder: object) -> None:
    assert callable(builder)
    job = JobId(await builder(conn))
    assert await give_up(conn, job) == [OperatorResult.DEAD]
    letter = await dead.get_letter(conn, job)
    assert letter is not None
    assert (letter.reason, letter.message, letter.status) == ("given_up", "not worth it", "open")
    assert await replay(conn, job) == "replayed"


async def test_the_worker_of_a_job_given_up_is_fenced(conn: Connection) -> None:
    job = await running_job(conn)
    assert await give_up(conn, JobId(job.id)) == [OperatorResult.DEAD]
    assert not await complete(conn, job)
    assert await state_of(conn, job.id) == "dead"


async def test_the_letter_keeps_the_error_that_the_job_had(conn: Connection) -> None:
    job = await running_job(conn)
    await fail(conn, job, message="disk full")
    await give_up(conn, JobId(job.id))
    letter = await dead.get_letter(conn, JobId(job.id))
    assert letter is not None
    assert letter.message == "disk full"
