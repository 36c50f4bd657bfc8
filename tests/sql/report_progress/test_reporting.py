"""How far a job has come, for people; only its owner says so."""

from typing import Any
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import complete, ready_job, refusal, running_job

REPORT = "select holdfast.report_progress($1, $2, $3, $4, $5, $6)"


async def test_the_latest_report_counts(conn: Connection) -> None:
    job = await running_job(conn)
    assert await conn.fetchval(REPORT, job.id, job.token, 1, 10, 0, "first")
    assert await conn.fetchval(REPORT, job.id, job.token, 5, None, 2, None)
    (row,) = await conn.fetch("select * from holdfast.progress_view")
    assert (row["job_id"], row["done"], row["total"], row["failed"], row["note"]) == (
        job.id,
        5,
        None,
        2,
        None,
    )


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
