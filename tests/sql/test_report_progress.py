"""How far a job has come, for people; only its owner says so."""

from typing import Any
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import complete, ready_job, refusal, running_job

REPORT = "select holdfast.report_progress($1, $2, $3, $4, $5, $6)"


PROGRESS = "select job_id, done, total, failed, note from holdfast.progress_view"


async def test_the_latest_report_counts(conn: Connection) -> None:
    job = await running_job(conn)
    assert await conn.fetchval(REPORT, job.id, job.token, 1, 10, 0, "first")
    assert await conn.fetchval(REPORT, job.id, job.token, 5, 12, 2, "second")
    (row,) = await conn.fetch(PROGRESS)
    assert tuple(row) == (job.id, 5, 12, 2, "second")


async def test_what_a_report_does_not_say_stays_as_it_was(conn: Connection) -> None:
    job = await running_job(conn)
    assert await conn.fetchval(REPORT, job.id, job.token, 1, 10, 2, "first")
    assert await conn.fetchval(REPORT, job.id, job.token, 5, None, None, None)
    (row,) = await conn.fetch(PROGRESS)
    assert tuple(row) == (job.id, 5, 10, 2, "first")


async def test_an_empty_note_takes_the_note_away(conn: Connection) -> None:
    job = await running_job(conn)
    await conn.execute(REPORT, job.id, job.token, 1, 10, 0, "first")
    await conn.execute(REPORT, job.id, job.token, 2, None, None, "")
    (row,) = await conn.fetch(PROGRESS)
    assert tuple(row) == (job.id, 2, 10, 0, None)


async def test_a_note_is_sanitised_and_bounded(conn: Connection) -> None:
    job = await running_job(conn)
    await conn.execute(REPORT, job.id, job.token, 1, 1, 0, "password=hunter2 " + "x" * 1000)
    note = await conn.fetchval("select note from holdfast.progress")
    assert note.startswith("password=[redacted] x")
    assert len(note) == 500


async def test_a_stale_worker_reports_nothing(conn: Connection) -> None:
    job = await running_job(conn)
    assert await conn.fetchval(REPORT, job.id, uuid4(), 1, 1, 0, None) is False
    await complete(conn, job)
    assert await conn.fetchval(REPORT, job.id, job.token, 1, 1, 0, None) is False
    assert await conn.fetchval(REPORT, await ready_job(conn), uuid4(), 1, 1, 0, None) is False
    assert await conn.fetchval("select count(*) from holdfast.progress") == 0


@pytest.mark.parametrize("counts", [(-1, 1, 0), (1, -1, 0), (1, 1, -1), (None, 1, 0)])
async def test_counts_below_nothing_are_refused(conn: Connection, counts: tuple[Any, ...]) -> None:
    job = await running_job(conn)
    assert (await refusal(conn, REPORT, job.id, job.token, *counts, None)).sqlstate == "HF002"
