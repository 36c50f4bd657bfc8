"""What a successor would have to do."""

from datetime import timedelta
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import a_worker, an_open_run, claim, completed_job, ready_jobs, scheduled_job

HOUR = timedelta(hours=1)


async def left(conn: Connection, run: UUID | None = None, within: timedelta = HOUR) -> int:
    found: int = await conn.fetchval("select holdfast.work_left('{default}', $1, $2)", run, within)
    return found


async def test_ready_running_and_soon_due_jobs_are_left_and_no_others(conn: Connection) -> None:
    await completed_job(conn)
    await ready_jobs(conn, 3)
    await claim(conn, await a_worker(conn))
    await scheduled_job(conn, timedelta(minutes=30))
    await scheduled_job(conn, timedelta(hours=2))
    await ready_jobs(conn, 2, queue="other")
    assert await left(conn) == 4
    assert await left(conn, within=timedelta(minutes=1)) == 3


async def test_of_a_run_only_its_own_jobs_are_left_whatever_their_queue(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 2)
    await ready_jobs(conn, 3, run=run, queue="other")
    await scheduled_job(conn, timedelta(hours=2), run=run)
    assert await left(conn, run) == 3
