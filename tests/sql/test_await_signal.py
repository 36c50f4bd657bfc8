"""What a running job was told under a name; a stage visit takes a signal once and for all its attempts."""

from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import Running, claim_one, refusal, release, running_job, settle
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job, job_that_waits, signal


async def answer(conn: Connection, job: Running, name: str = "approval") -> tuple[bool, str | None, bool]:
    row = await conn.fetchrow(
        "select came, data::text, timed_out from holdfast.await_signal($1, $2, $3)", job.id, job.token, name
    )
    assert row is not None
    return row["came"], row["data"], row["timed_out"]


async def test_nothing_came_then_something_did_and_it_stays(conn: Connection) -> None:
    job = await running_job(conn)
    assert await answer(conn, job) == (False, None, False)
    await signal(conn, job.id, data={"ok": True})
    assert await answer(conn, job) == (True, '{"ok": true}', False)
    await release(conn, job)
    again = await claim_one(conn, job.worker)
    assert await answer(conn, again) == (True, '{"ok": true}', False)
    assert await answer(conn, again, "other") == (False, None, False)


async def test_the_time_is_over(conn: Connection) -> None:
    job = await job_that_waits(conn, timeout=0)
    assert await answer(conn, await claim_one(conn, job.worker)) == (False, None, True)


async def test_a_signal_that_came_late_but_before_the_look_counts(conn: Connection) -> None:
    job = await job_that_waits(conn, timeout=0)
    held = await claim_one(conn, job.worker)
    await signal(conn, job.id, data=1)
    assert await answer(conn, held) == (True, "1", False)


async def test_another_visit_needs_another_signal(conn: Connection) -> None:
    await a_pipeline(conn, stages=["a"])
    worker = await a_stage_worker(conn)
    job = await entered_job(conn)
    held = await claim_one(conn, worker)
    await signal(conn, job, data=1)
    assert (await answer(conn, held))[0]
    await settle(conn, held, "advance", {"stage": "a"})
    assert await answer(conn, await claim_one(conn, worker)) == (False, None, False)


async def test_a_stale_worker_learns_nothing(conn: Connection) -> None:
    job = await running_job(conn)
    exc = await refusal(conn, "select holdfast.await_signal($1, $2, 'approval')", job.id, UUID(int=1))
    assert exc.sqlstate == "HF006"
