"""waiting -> ready: a run whose time is over waits for a person, and goes on when given more."""

from uuid import UUID, uuid4

import pytest

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from tests.builders import a_worker, an_open_run, claim, claim_one, complete, ready_jobs, refusal, state_of

EXTEND = "select holdfast.extend_run($1, interval '1 hour', 'worth it', 'Ada')"


async def a_late_run(conn: Connection) -> tuple[UUID, list[UUID], UUID]:
    """One job of it runs; then its time is over."""
    run = await an_open_run(conn, max_time=3600)
    worker = await a_worker(conn)
    ids = await ready_jobs(conn, 3, run=run)
    await claim_one(conn, worker)
    await conn.execute("update holdfast.run_budgets set stops_at = holdfast.now()")
    return run, ids, worker


async def test_beyond_its_time_jobs_that_would_start_wait_until_it_is_extended(conn: Connection) -> None:
    run, (running, *others), worker = await a_late_run(conn)
    assert await claim(conn, worker, 5) == []
    assert [await state_of(conn, job) for job in (running, *others)] == ["running", "waiting", "waiting"]
    (first, *_) = await stats.explain(conn, JobId(others[0]))
    assert first.blocker == "run_budget"
    assert "its time was over at" in first.detail
    assert "extend_run continues it" in first.detail
    assert await conn.fetchval(EXTEND, run) == 2
    found = await claim(conn, worker, 5)
    assert {job.id for job in found} == {*others}
    assert await complete(conn, found[0])


async def test_what_runs_when_the_time_is_over_may_finish(conn: Connection) -> None:
    run = await an_open_run(conn, max_time=3600)
    worker = await a_worker(conn)
    await ready_jobs(conn, 1, run=run)
    job = await claim_one(conn, worker)
    await conn.execute("update holdfast.run_budgets set stops_at = holdfast.now()")
    assert await complete(conn, job)
    assert await state_of(conn, job.id) == "completed"


async def test_only_a_run_with_a_time_can_be_extended(conn: Connection) -> None:
    run = await an_open_run(conn)
    assert (await refusal(conn, EXTEND, run)).sqlstate == "HF005"
    assert (await refusal(conn, EXTEND, uuid4())).sqlstate == "HF004"
    timed = await an_open_run(conn, max_time=1)
    less = "select holdfast.extend_run($1, interval '0')"
    assert (await refusal(conn, less, timed)).sqlstate == "HF002"


@pytest.mark.parametrize("time", ["0", "-1", '"soon"'])
async def test_a_time_that_is_none_is_refused(conn: Connection, time: str) -> None:
    exc = await refusal(conn, "select holdfast.start_run('r', $1)", f'{{"max_time": {time}}}')
    assert exc.sqlstate == "HF002"


async def test_who_extended_it_is_in_the_audit_trail(conn: Connection) -> None:
    run, _, worker = await a_late_run(conn)
    await claim(conn, worker, 5)
    await conn.execute(EXTEND, run)
    row = await conn.fetchrow(
        "select actor, reason, detail ->> 'jobs' from holdfast.events where cause = 'extend_run'"
    )
    assert row is not None
    assert tuple(row) == ("Ada", "worth it", "2")
