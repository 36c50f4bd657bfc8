"""Which of a worker's jobs somebody wants to cancel."""

from holdfast.db.connect import Connection
from tests.builders import a_worker, cancel, running_job, state_of


async def test_a_running_job_goes_on_and_its_worker_can_see_the_wish(conn: Connection) -> None:
    job = await running_job(conn)
    assert await cancel(conn, job.id, "too late") == "asked"
    assert await state_of(conn, job.id) == "running"
    (row,) = await conn.fetch("select * from holdfast.cancel_requests($1)", job.worker)
    assert (row["job_id"], row["token"], row["reason"]) == (job.id, job.token, "too late")
    assert await conn.fetch("select * from holdfast.cancel_requests($1)", await a_worker(conn)) == []


async def test_jobs_that_nobody_cancelled_are_left_alone(conn: Connection) -> None:
    worker = await a_worker(conn)
    wanted, unwanted = await running_job(conn, worker), await running_job(conn, worker)
    await cancel(conn, unwanted.id)
    rows = await conn.fetch("select job_id from holdfast.cancel_requests($1)", worker)
    assert [row["job_id"] for row in rows] == [unwanted.id]
    assert await state_of(conn, wanted.id) == "running"


async def test_the_last_of_several_reasons_is_told(conn: Connection) -> None:
    job = await running_job(conn)
    await cancel(conn, job.id, "first")
    await cancel(conn, job.id, "second")
    assert await conn.fetchval("select reason from holdfast.cancel_requests($1)", job.worker) == "second"
