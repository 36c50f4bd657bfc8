"""Notes on dead letters."""

from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import dead_job, ready_job, refusal

NOTE = "select holdfast.note_dead_letters($1, $2, $3)"


async def test_each_letter_gets_the_note_without_its_secrets(conn: Connection) -> None:
    died = [(await dead_job(conn)).id for _ in range(2)]
    assert await conn.fetchval(NOTE, died, "asked with password=hunter2", "Ada") == 2
    rows = await conn.fetch("select job_id, author, note from holdfast.dead_letter_notes")
    assert {tuple(row) for row in rows} == {(job, "Ada", "asked with password=[redacted]") for job in died}


async def test_a_job_that_is_not_dead_gets_none(conn: Connection) -> None:
    assert await conn.fetchval(NOTE, [await ready_job(conn), uuid4()], "odd", None) == 0
    assert await conn.fetch("select from holdfast.dead_letter_notes") == []


@pytest.mark.parametrize("note", ["", "  ", None])
async def test_a_note_needs_words(conn: Connection, note: str | None) -> None:
    job = await dead_job(conn)
    error = await refusal(conn, NOTE, [job.id], note, "Ada")
    assert error.sqlstate == "HF002"
