"""The saved partial work of a job."""

import json
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import claim_one, release, running_job
from tests.sql.conftest import Clock

LOAD = "select * from holdfast.load_checkpoints($1)"
SAVE = "select holdfast.save_checkpoint($1, $2, $3, $4)"


async def test_checkpoints_come_in_the_order_of_their_saving_with_attempt_and_time(
    conn: Connection, clock: Clock
) -> None:
    job = await running_job(conn)
    await conn.execute(SAVE, job.id, job.token, "b", '{"page": 1}')
    await release(conn, job)
    again = await claim_one(conn, job.worker)
    before = await clock.now()
    await conn.execute(SAVE, again.id, again.token, "a", "[2]")
    first, second = await conn.fetch(LOAD, job.id)
    assert (first["name"], json.loads(first["data"]), first["attempt"]) == ("b", {"page": 1}, 1)
    assert (second["name"], json.loads(second["data"]), second["attempt"]) == ("a", [2], 2)
    assert first["saved_at"] < before < second["saved_at"]


async def test_other_jobs_have_none(conn: Connection) -> None:
    job = await running_job(conn)
    await conn.execute(SAVE, job.id, job.token, "a", "1")
    other = await running_job(conn, queue="other")
    assert await conn.fetch(LOAD, other.id) == await conn.fetch(LOAD, uuid4()) == []
