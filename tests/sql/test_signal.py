"""waiting -> ready: tells a job what it waits for."""

from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import completed_job, ready_job, refusal, state_of
from tests.stage_builders import job_that_waits, signal


async def test_a_waiting_job_goes_on(conn: Connection) -> None:
    job = await job_that_waits(conn)
    assert await signal(conn, job.id, "other") == "kept"
    assert await state_of(conn, job.id) == "waiting"
    assert await signal(conn, job.id) == "resumed"
    assert await state_of(conn, job.id) == "ready"
    assert await signal(conn, job.id) == "duplicate"


async def test_it_is_kept_for_a_job_that_does_not_wait_yet(conn: Connection) -> None:
    job = await ready_job(conn)
    assert await signal(conn, job) == "kept"
    assert await signal(conn, job) == "duplicate"
    assert await state_of(conn, job) == "ready"


async def test_an_ended_job_hears_nothing_and_an_unknown_one_is_refused(conn: Connection) -> None:
    job = await completed_job(conn)
    assert await signal(conn, job.id) == "ended"
    assert (await refusal(conn, "select holdfast.signal($1, 'x')", uuid4())).sqlstate == "HF004"


async def test_names_and_data_are_bounded(conn: Connection) -> None:
    job = await ready_job(conn)
    assert (await refusal(conn, "select holdfast.signal($1, '')", job)).sqlstate == "HF002"
    large = '"' + "x" * 1_048_577 + '"'
    assert (await refusal(conn, "select holdfast.signal($1, 'x', $2)", job, large)).sqlstate == "HF001"


async def test_who_signalled_is_in_the_audit_trail(conn: Connection) -> None:
    job = await job_that_waits(conn)
    await signal(conn, job.id)
    row = await conn.fetchrow(
        "select actor, reason, from_state, to_state from holdfast.events where cause = 'signal'"
    )
    assert row is not None
    assert tuple(row) == ("Ada", "approval", "waiting", "ready")


async def test_pruned_jobs_leave_no_signals_and_no_waits(conn: Connection) -> None:
    job = await job_that_waits(conn)
    await signal(conn, job.id)
    await conn.execute("select holdfast.forget_jobs($1)", [job.id])
    assert await conn.fetchval("select count(*) from holdfast.signals") == 0
    assert await conn.fetchval("select count(*) from holdfast.waits") == 0
