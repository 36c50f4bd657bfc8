"""A stage that a job leaves counts like an end, in its own queue, task and stage."""

from datetime import timedelta

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.stats import StatsBy
from tests.builders import Running, claim_one, settle
from tests.sql.conftest import Clock
from tests.sql.summarise_ends.scene import summarise
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job

HOUR = timedelta(hours=1)


async def through(conn: Connection, clock: Clock, *seconds: int) -> None:
    """One job through as many stages; each waits a second and runs so long."""
    worker = await a_stage_worker(conn)
    await entered_job(conn)
    for run in seconds:
        await clock.advance(timedelta(seconds=1))
        job = await claim_one(conn, worker)
        await clock.advance(timedelta(seconds=run))
        assert await settle(conn, job, "advance", {})


async def test_each_stage_has_its_own_figures(conn: Connection, clock: Clock) -> None:
    await a_pipeline(conn)
    await through(conn, clock, 1, 10, 5)
    await summarise(conn)
    found = {row.name: row for row in await stats.end_stats(conn, HOUR, StatsBy.STAGE)}
    assert [(name, row.advanced, row.completed) for name, row in found.items()] == [
        ("line/a", 1, 0),
        ("line/b", 1, 0),
        ("line/c", 0, 1),
    ]
    seconds = [row.run_mean.total_seconds() for row in found.values() if row.run_mean]
    assert [round(each) for each in seconds] == [1, 10, 5]


async def test_a_stage_that_fails_and_rejects_says_so(conn: Connection, clock: Clock) -> None:
    await a_pipeline(conn)
    worker = await a_stage_worker(conn)
    await entered_job(conn, retry=[0, 0])
    first = await claim_one(conn, worker)
    assert await settle(conn, first, "fail", {"class": "transient", "type": "E", "message": "m"})
    second = await claim_one(conn, worker)
    assert await settle(conn, second, "reject", {"reason": "no"})
    await summarise(conn)
    (row,) = await stats.end_stats(conn, HOUR, StatsBy.STAGE)
    assert (row.name, row.rejected, row.failed, row.retried, row.retries) == ("line/a", 1, 1, 1, 1)


async def test_branches_count_for_their_stages_and_their_parent_for_none(
    conn: Connection, clock: Clock
) -> None:
    await a_pipeline(conn, stages=["ask", "left", "right"])
    worker = await a_stage_worker(conn)
    await entered_job(conn)
    job = await claim_one(conn, worker)
    assert await settle(conn, job, "advance", {"stages": ["left", "right"]})
    for _ in range(2):
        branch: Running = await claim_one(conn, worker)
        assert await settle(conn, branch, "complete")
    await conn.execute("select holdfast.close_runs()")
    await summarise(conn)
    found = {row.name: row.jobs for row in await stats.end_stats(conn, HOUR, StatsBy.STAGE)}
    assert found == {"line/ask": 1, "line/left": 1, "line/right": 1}
