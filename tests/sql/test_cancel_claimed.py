"""running -> cancelled: the handler obeyed."""

from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, complete, letter_of, ready_jobs, running_job, state_of, the_job

CANCEL = "select holdfast.cancel_claimed($1, $2, $3)"


async def test_a_job_ends_as_cancelled_with_its_reason_and_is_no_dead_letter(conn: Connection) -> None:
    job = await running_job(conn)
    assert await conn.fetch(CANCEL, [job.id], [job.token], ['{"reason": "password=hunter2"}']) == []
    row = await the_job(conn, job.id)
    assert (row["state"], row["reason"]) == ("cancelled", "password=[redacted]")
    assert await letter_of(conn, job.id) is None


async def test_a_cancel_without_a_reason_says_that_it_was_asked_for(conn: Connection) -> None:
    job = await running_job(conn)
    assert await conn.fetch(CANCEL, [job.id], [job.token], [None]) == []
    assert (await the_job(conn, job.id))["reason"] == "asked to cancel while running"


async def test_a_stale_cancel_is_lost_and_the_others_of_its_call_are_not(conn: Connection) -> None:
    await ready_jobs(conn, 3)
    stale, done, good = await claim(conn, await a_worker(conn), 3)
    await complete(conn, done)
    ids, tokens = [stale.id, done.id, good.id], [uuid4(), done.token, good.token]
    lost = await conn.fetch(CANCEL, ids, tokens, [None] * 3)
    assert [row[0] for row in lost] == [stale.id, done.id]
    assert [await state_of(conn, job) for job in ids] == ["running", "completed", "cancelled"]
