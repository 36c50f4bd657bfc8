"""Status and assignee of dead letters, audited."""

import pytest

from holdfast.db import dead
from holdfast.db.connect import Connection
from holdfast.model.dead_letter import Triage
from holdfast.model.id import JobId
from tests.builders import dead_job, refusal


async def test_status_and_assignee_change_apart(conn: Connection) -> None:
    job = await dead_job(conn)
    assert await dead.triage_letters(conn, [JobId(job.id)], Triage.INVESTIGATING, None, "odd", "Ada") == [
        job.id
    ]
    await dead.triage_letters(conn, [JobId(job.id)], None, "Grace", None, "Ada")
    letter = await dead.get_letter(conn, JobId(job.id))
    assert letter is not None
    assert (letter.status, letter.assignee) == (Triage.INVESTIGATING, "Grace")
    await dead.triage_letters(conn, [JobId(job.id)], None, "", None, "Ada")
    letter = await dead.get_letter(conn, JobId(job.id))
    assert letter is not None
    assert (letter.status, letter.assignee) == (Triage.INVESTIGATING, None)


async def test_triage_is_in_the_audit_trail(conn: Connection) -> None:
    job = await dead_job(conn)
    await dead.triage_letters(conn, [JobId(job.id)], Triage.RESOLVED, None, "fixed in 1.2", "Ada")
    event = await conn.fetchrow(
        "select cause, actor, reason, detail ->> 'status' from holdfast.events"
        " where job_id = $1 and cause <> 'end'",
        job.id,
    )
    assert event is not None
    assert tuple(event) == ("triage", "Ada", "fixed in 1.2", "resolved")


@pytest.mark.parametrize(("status", "assignee"), [("done", None), (None, None)])
async def test_what_makes_no_sense_is_refused(
    conn: Connection, status: str | None, assignee: str | None
) -> None:
    job = await dead_job(conn)
    error = await refusal(conn, "select holdfast.triage_dead_letters($1, $2, $3)", [job.id], status, assignee)
    assert error.sqlstate == "HF002"


async def test_a_letter_that_nobody_dealt_with_outlives_the_retention_of_its_job(conn: Connection) -> None:
    kept, gone = await dead_job(conn), await dead_job(conn)
    await dead.triage_letters(conn, [JobId(gone.id)], Triage.RESOLVED, None, None, "Ada")
    await conn.execute("update holdfast.history set ended_at = now() - interval '40 days'")
    await conn.execute("select holdfast.prune_jobs()")
    assert await dead.get_letter(conn, JobId(kept.id)) is not None
    assert await dead.get_letter(conn, JobId(gone.id)) is None
