"""A run that waits for its budget says so, and has no estimate."""

from datetime import timedelta

from holdfast.db.connect import Connection
from holdfast.db.runs import run_progress
from holdfast.model.id import RunId
from tests.builders import a_worker, an_open_run, claim, complete, ready_jobs, renew
from tests.sql.conftest import Clock


async def test_a_run_whose_budget_is_used_up_names_it_instead_of_an_estimate(
    conn: Connection, clock: Clock
) -> None:
    run = RunId(await an_open_run(conn, max_units=2))
    await ready_jobs(conn, 4, run=run, endpoint="model", estimate=1)
    worker = await a_worker(conn)
    for job in await claim(conn, worker, 1):
        await complete(conn, job)
    await clock.advance(timedelta(minutes=1))
    await renew(conn, worker)
    progress = await run_progress(conn, run)
    assert progress is not None
    assert progress.blocker is None
    assert progress.eta is not None
    await conn.execute("update holdfast.run_budgets set used = 1 where run_id = $1", run)
    assert await claim(conn, worker, 4) == []
    progress = await run_progress(conn, run)
    assert progress is not None
    assert (progress.eta, progress.eta_low, progress.eta_high) == (None, None, None)
    assert progress.blocker is not None
    assert progress.blocker.startswith(f"Run {run}: of its 2 units, 2 are used and 0 reserved")
    await conn.execute("select holdfast.raise_budget($1, null, max_units => 10)", run)
    progress = await run_progress(conn, run)
    assert progress is not None
    assert progress.blocker is None
    assert progress.eta is not None
