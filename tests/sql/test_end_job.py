"""end_job: one end, what became of the job, and the same call once more."""

from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    claim_one,
    expire_worker,
    refusal,
    rescue,
    running_job,
    state_of,
    the_job,
    to_json,
)
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job

END = "select result, state, due_at from holdfast.end_job($1, $2, $3, $4, $5)"


async def end(
    conn: Connection, job: Running, verb: str, detail: Any = None, output: Any = None
) -> tuple[str, str | None]:
    given = (None if value is None else to_json(value) for value in (output, detail))
    row = await conn.fetchrow(END, job.id, job.token, verb, *given)
    assert row is not None
    return row["result"], row["state"]


@pytest.mark.parametrize(
    ("verb", "detail", "state"),
    [
        ("complete", None, "completed"),
        ("fail", {"class": "transient", "message": "it broke"}, "scheduled"),
        ("fail", {"class": "permanent", "message": "it broke"}, "dead"),
        ("reject", {"reason": "not for us"}, "rejected"),
    ],
)
async def test_an_end_that_is_recorded_may_be_repeated(
    conn: Connection, verb: str, detail: Any, state: str
) -> None:
    job = await running_job(conn)
    assert await end(conn, job, verb, detail) == ("ended", state)
    assert await end(conn, job, verb, detail) == ("repeated", state)
    other = "reject" if verb == "complete" else "complete"
    assert await end(conn, job, other, {"reason": "another end"}) == ("lost", state)


@pytest.mark.parametrize(
    ("verb", "detail", "state"),
    [
        ("snooze", {"delay": 60}, "scheduled"),
        ("release", None, "ready"),
        ("wait", {"for": "signal:go"}, "waiting"),
    ],
)
async def test_an_end_that_leaves_no_record_is_lost_the_second_time(
    conn: Connection, verb: str, detail: Any, state: str
) -> None:
    job = await running_job(conn)
    assert await end(conn, job, verb, detail) == ("ended", state)
    assert await end(conn, job, verb, detail) == ("lost", state)


async def test_the_answer_says_when_a_failed_job_is_due(conn: Connection) -> None:
    job = await running_job(conn)
    row = await conn.fetchrow(
        END, job.id, job.token, "fail", None, to_json({"class": "transient", "retry_after": 3600})
    )
    assert row is not None
    assert row["due_at"] == (await the_job(conn, job.id))["due_at"]


async def test_what_others_did_is_not_taken_for_a_repeated_call(conn: Connection) -> None:
    rescued = await running_job(conn, queue="a")
    await expire_worker(conn, rescued.worker)
    await rescue(conn)
    assert (await end(conn, rescued, "fail", {"message": "late"}))[0] == "lost"
    finished = await running_job(conn, queue="b")
    await conn.execute(
        "select holdfast.complete_as_operator(array[$1::uuid], '1', 'by hand', 'Ada')", finished.id
    )
    assert await end(conn, finished, "complete", output=2) == ("lost", "completed")


async def test_a_job_at_a_stage_goes_on_when_it_is_completed(conn: Connection) -> None:
    await a_pipeline(conn, stages=("a", "b", "c"))
    worker = await a_stage_worker(conn)
    await entered_job(conn)
    job = await claim_one(conn, worker)
    assert await end(conn, job, "complete", output=1) == ("ended", "ready")
    assert (await the_job(conn, job.id))["stage"] == "b"
    job = await claim_one(conn, worker)
    assert await end(conn, job, "advance", {"stage": "a"}) == ("ended", "ready")
    assert (await the_job(conn, job.id))["stage"] == "a"


async def test_a_job_that_was_asked_to_cancel_is_cancelled_by_its_release(conn: Connection) -> None:
    job = await running_job(conn)
    await conn.execute("select holdfast.cancel_jobs($1, 'not needed', 'Ada')", [job.id])
    assert await end(conn, job, "release") == ("ended", "cancelled")


async def test_a_verb_that_does_not_exist_is_refused(conn: Connection) -> None:
    job = await running_job(conn)
    error = await refusal(conn, "select holdfast.end_job($1, $2, 'lose')", job.id, job.token)
    assert error.sqlstate == "HF002"
    assert await state_of(conn, job.id) == "running"


async def test_a_job_that_does_not_exist_is_lost(conn: Connection) -> None:
    job = await running_job(conn)
    assert await end(conn, Running(job.token, job.token, job.worker, 1), "complete") == ("lost", None)
