"""One job by its id."""

from datetime import timedelta
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import completed_job, dead_job, ready_job, replay
from tests.sql.conftest import Clock


async def test_a_job_is_found_by_id_live_or_ended(conn: Connection, clock: Clock) -> None:
    live, ended = await ready_job(conn), await completed_job(conn, queue="q")
    await clock.advance(timedelta(days=20))
    for job in (live, ended.id):
        (row,) = await conn.fetch("select * from holdfast.get_job($1)", job)
        assert row["id"] == job
    assert await conn.fetch("select * from holdfast.get_job($1)", uuid4()) == []


async def test_a_job_that_lives_again_is_found_once(conn: Connection) -> None:
    job = await dead_job(conn)
    await replay(conn, job.id)
    (row,) = await conn.fetch("select * from holdfast.get_job($1)", job.id)
    assert (row["state"], row["ended_at"]) == ("ready", None)
