"""A worker leaves; what it still holds is given back at no cost."""

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    attempts_of,
    claim,
    complete,
    expire_worker,
    ready_jobs,
    rescue,
    running_job,
)


async def test_a_worker_that_stops_leaves_nothing_running(conn: Connection) -> None:
    await ready_jobs(conn, 3)
    worker = await a_worker(conn)
    jobs = await claim(conn, worker, 3)
    assert len(await conn.fetch("select * from holdfast.held_jobs($1)", worker)) == 3
    assert await conn.fetchval("select holdfast.stop_worker($1)", worker) == 3
    rows = await conn.fetch("select state, losses, failures, deferrals from holdfast.jobs")
    assert [tuple(row) for row in rows] == [("ready", 0, 0, 1)] * 3
    assert not await complete(conn, jobs[0])
    assert await conn.fetchval("select state from holdfast.worker_view") == "stopped"
    assert await conn.fetchval("select holdfast.stop_worker($1)", worker) == 0


async def test_a_job_found_with_a_worker_that_stopped_is_no_loss(conn: Connection) -> None:
    """A claim may commit after its worker's stop: nobody vanished."""
    job = await running_job(conn)
    await conn.execute("update holdfast.workers set state = 'stopped', stopped_at = now()")
    assert (await rescue(conn))["recovered"] == 1
    (row,) = await conn.fetch("select state, losses, deferrals from holdfast.jobs")
    assert tuple(row) == ("ready", 0, 1)
    assert await attempts_of(conn, job.id) == []


async def test_a_job_of_a_worker_without_a_row_is_rescued(conn: Connection) -> None:
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    await conn.execute("delete from holdfast.workers")
    assert (await rescue(conn))["recovered"] == 1
