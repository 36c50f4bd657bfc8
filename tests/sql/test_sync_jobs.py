"""sync_jobs: what a worker should stop, and what it holds without knowing."""

from datetime import timedelta
from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import a_worker, cancel, claim, complete, ready_jobs, state_of
from tests.sql.conftest import Clock


async def sync(conn: Connection, worker: UUID, jobs: list[UUID] | None) -> set[tuple[UUID, str, str | None]]:
    rows = await conn.fetch("select * from holdfast.sync_jobs($1, $2)", worker, jobs)
    return {(row["job_id"], row["why"], row["reason"]) for row in rows}


async def test_a_worker_learns_what_to_stop_and_why(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_jobs(conn, 3)
    kept, asked, gone = await claim(conn, worker, 3)
    await cancel(conn, asked.id, "wrong address")
    await complete(conn, gone)
    cancelled = (asked.id, "cancel", "wrong address")
    assert await sync(conn, worker, None) == {cancelled}
    other = uuid4()
    found = await sync(conn, worker, [kept.id, asked.id, gone.id, other])
    assert found == {cancelled, (gone.id, "lost", None), (other, "lost", None)}


async def test_a_job_that_the_worker_does_not_know_is_released_after_half_a_minute(
    conn: Connection, clock: Clock
) -> None:
    worker = await a_worker(conn, lease=timedelta(hours=1))
    await ready_jobs(conn, 2)
    known, unknown = await claim(conn, worker, 2)
    await sync(conn, worker, [known.id])
    assert await state_of(conn, unknown.id) == "running", "its answer may be on the way"
    await clock.advance(timedelta(seconds=31))
    await sync(conn, worker, None)
    assert await state_of(conn, unknown.id) == "running", "the worker did not say what it runs"
    await sync(conn, worker, [known.id])
    assert (await state_of(conn, unknown.id), await state_of(conn, known.id)) == ("ready", "running")
