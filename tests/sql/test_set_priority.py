"""Another priority for live jobs."""

import pytest

from holdfast.db import operator
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.model.operator_action import OperatorResult
from tests.builders import (
    a_queue,
    a_worker,
    claim_one,
    completed_job,
    ready_job,
    ready_jobs,
    refusal,
    running_job,
    the_job,
)


async def test_a_raised_job_is_claimed_first(conn: Connection) -> None:
    jobs = await ready_jobs(conn, 3)
    results = await operator.set_priority(conn, [JobId(jobs[2])], 90, "urgent", "Ada")
    assert results == {jobs[2]: OperatorResult.SET}
    assert (await claim_one(conn, await a_worker(conn))).id == jobs[2]


async def claim_order(conn: Connection) -> list[object]:
    rows = await conn.fetch("select id from holdfast.jobs order by urgency desc, rank_at, id")
    return [row["id"] for row in rows]


async def test_a_lowered_job_is_claimed_last(conn: Connection) -> None:
    jobs = await ready_jobs(conn, 3)
    await operator.set_priority(conn, [JobId(jobs[0])], 1, "can wait", "Ada")
    assert await claim_order(conn) == [jobs[1], jobs[2], jobs[0]]


async def test_with_ageing_points_are_a_head_start(conn: Connection) -> None:
    await a_queue(conn, ageing=1)
    first, second = await ready_job(conn, priority=50), await ready_job(conn, priority=50)
    await operator.set_priority(conn, [JobId(second)], 60, "urgent", "Ada")
    row = await conn.fetchrow("select urgency, lead from holdfast.jobs where id = $1", second)
    assert row is not None
    assert (row["urgency"], row["lead"].total_seconds()) == (0, 3600)
    assert await claim_order(conn) == [second, first]


async def test_a_running_job_keeps_the_time_at_which_it_became_ready(conn: Connection) -> None:
    await a_queue(conn, ageing=1)
    job = await running_job(conn)
    before = (await the_job(conn, job.id))["ready_at"]
    await operator.set_priority(conn, [JobId(job.id)], 10, "next time", "Ada")
    after = await the_job(conn, job.id)
    assert (after["ready_at"], after["priority"]) == (before, 10)


async def test_an_ended_job_keeps_its_priority(conn: Connection) -> None:
    job = JobId((await completed_job(conn)).id)
    assert await operator.set_priority(conn, [job], 1, "why not", "Ada") == {job: OperatorResult.ENDED}


@pytest.mark.parametrize("priority", [-1, 101, None])
async def test_a_priority_out_of_range_is_refused(conn: Connection, priority: int | None) -> None:
    job = await ready_job(conn)
    error = await refusal(conn, "select holdfast.set_priority($1, $2, 'because', 'Ada')", [job], priority)
    assert error.sqlstate == "HF002"


async def test_the_audit_trail_has_both_priorities(conn: Connection) -> None:
    job = JobId(await ready_job(conn))
    await operator.set_priority(conn, [job], 75, "urgent", "Ada")
    detail = await conn.fetchval("select detail from holdfast.events where job_id = $1", job)
    assert detail == '{"to": 75, "from": 50}'
