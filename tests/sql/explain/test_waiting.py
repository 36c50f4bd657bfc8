"""What a waiting job waits for, in words."""

from uuid import UUID

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.model.timeline import Blocker
from tests.builders import a_worker, claim, complete, fail, running_job, settle
from tests.stage_builders import job_that_waits


async def only(conn: Connection, job: UUID) -> Blocker:
    (blocker,) = await stats.explain(conn, JobId(job))
    return blocker


async def test_a_signal_is_named_with_the_command_that_sends_it_and_until_when(conn: Connection) -> None:
    job = await job_that_waits(conn, timeout=60)
    blocker = await only(conn, job.id)
    assert blocker.blocker == "signal"
    assert blocker.detail == f"It waits for the signal approval: holdfast jobs signal {job.id} approval."
    assert blocker.until == await conn.fetchval("select due_at from holdfast.jobs where id = $1", job.id)


async def test_children_are_counted(conn: Connection) -> None:
    job = await running_job(conn, queue="parents")
    await conn.execute(
        "select holdfast.spawn_children($1, $2, 'k', array['kid'], $3::json[], $4, 'all', 'wait')",
        job.id,
        job.token,
        ["{}"] * 3,
        '{"queue": "kids"}',
    )
    await settle(conn, job, "wait", {"for": "children:k"})
    assert (await only(conn, job.id)).detail == "It waits for 3 of its 3 children."
    first, second, third = await claim(conn, await a_worker(conn, ["kids"]), 3)
    await complete(conn, first)
    assert (await only(conn, job.id)).detail == "It waits for 2 of its 3 children."
    await fail(conn, second, error_class="permanent")
    await complete(conn, third)
    assert (await only(conn, job.id)).detail == "It waits for 1 of its 3 children that are dead: replay them."
