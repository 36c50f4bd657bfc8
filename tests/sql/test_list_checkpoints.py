"""The saved partial work of a job, as people may see it."""

import json
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import claim_one, release, running_job
from tests.sql.conftest import Clock

LIST = "select name, attempt, saved_at, size, value from holdfast.list_checkpoints($1)"
SAVE = "select holdfast.save_checkpoint($1, $2, $3, $4)"


async def test_checkpoints_are_listed_with_attempt_time_size_and_value(
    conn: Connection, clock: Clock
) -> None:
    job = await running_job(conn)
    await conn.execute(SAVE, job.id, job.token, "b", '{"page": 1}')
    await release(conn, job)
    again = await claim_one(conn, job.worker)
    before = await clock.now()
    await conn.execute(SAVE, again.id, again.token, "a", '"ü"')
    first, second = await conn.fetch(LIST, job.id)
    assert (first["name"], first["attempt"], first["size"], first["value"]) == ("b", 1, 11, '{"page": 1}')
    assert (second["name"], second["attempt"], second["size"], second["value"]) == ("a", 2, 4, '"ü"')
    assert first["saved_at"] < before < second["saved_at"]


async def test_values_are_redacted_and_cut_and_the_data_stays_as_it_was(conn: Connection) -> None:
    job = await running_job(conn)
    data = {"password": "hunter2", "text": "x" * 20_000}
    await conn.execute(SAVE, job.id, job.token, "login", json.dumps(data))
    (row,) = await conn.fetch(LIST, job.id)
    assert row["size"] == len(json.dumps(data))
    assert "hunter2" not in row["value"]
    assert (row["value"][:26], len(row["value"])) == ('{"password": [redacted], "', 8192)
    stored = await conn.fetchval("select data from holdfast.load_checkpoints($1)", job.id)
    assert json.loads(stored) == data


async def test_other_jobs_have_none(conn: Connection) -> None:
    job = await running_job(conn)
    await conn.execute(SAVE, job.id, job.token, "a", "1")
    assert await conn.fetch(LIST, uuid4()) == []
