"""running -> rejected: the handler decides against the job."""

import json
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, letter_of, ready_jobs, running_job, state_of, the_job

REJECT = "select holdfast.reject_jobs($1, $2, $3, $4)"


async def test_a_rejection_keeps_its_reason_output_and_units_and_is_no_dead_letter(conn: Connection) -> None:
    job = await running_job(conn)
    detail = '{"reason": "spam; password=hunter2", "units": 4}'
    assert await conn.fetch(REJECT, [job.id], [job.token], [detail], ['{"score": 1}']) == []
    row = await the_job(conn, job.id)
    assert (row["state"], row["reason"], row["units"]) == ("rejected", "spam; password=[redacted]", 4)
    assert json.loads(row["output"]) == {"score": 1}
    assert await letter_of(conn, job.id) is None


async def test_a_stale_rejection_changes_nothing(conn: Connection) -> None:
    await ready_jobs(conn, 2)
    a, b = await claim(conn, await a_worker(conn), 2)
    lost = await conn.fetch(REJECT, [a.id, b.id], [uuid4(), b.token], [None, None], None)
    assert [row[0] for row in lost] == [a.id]
    assert [await state_of(conn, job.id) for job in (a, b)] == ["running", "rejected"]
