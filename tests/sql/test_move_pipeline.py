"""live jobs of one version -> another: on purpose, and only those at a stage that the other has."""

from holdfast.db.connect import Connection
from tests.builders import a_worker, an_open_run, claim, claim_one, refusal, settle, the_job
from tests.stage_builders import a_pipeline, entered_job

MOVE = "select moved, stay from holdfast.move_pipeline('line', 1, 2, 'Ada')"


async def test_jobs_at_a_stage_that_both_have_move_and_the_others_stay(conn: Connection) -> None:
    await a_pipeline(conn)
    worker = await a_worker(conn, ["line.a"])
    at_b = await entered_job(conn, stage="b")
    at_a = await entered_job(conn)
    running = await entered_job(conn, priority=99)
    held = await claim_one(conn, worker)
    await a_pipeline(conn, stages=[{"name": "a", "task": "other", "queue": "q"}, "c"])
    row = await conn.fetchrow(MOVE)
    assert row is not None
    assert tuple(row) == (2, 1)
    assert ((await the_job(conn, at_a))["queue"], (await the_job(conn, at_a))["task"]) == ("q", "other")
    assert (await the_job(conn, at_b))["queue"] == "line.b"
    assert held.id == running
    assert await settle(conn, held, "advance")
    assert (await the_job(conn, running))["stage"] == "c"


async def test_a_job_that_moves_stays_under_the_budget_of_its_run(conn: Connection) -> None:
    await a_pipeline(conn)
    await entered_job(conn, run=await an_open_run(conn, max_units=0))
    await a_pipeline(conn, stages=[{"name": "a", "task": "a", "queue": "q"}])
    await conn.execute(MOVE)
    assert await claim(conn, await a_worker(conn, ["q"])) == []


async def test_a_version_that_is_not_there_is_refused(conn: Connection) -> None:
    await a_pipeline(conn)
    assert (await refusal(conn, MOVE)).sqlstate == "HF004"


async def test_a_move_is_in_the_audit_trail(conn: Connection) -> None:
    await a_pipeline(conn)
    await a_pipeline(conn, stages=["a"])
    await conn.execute(MOVE)
    row = await conn.fetchrow("select actor, reason from holdfast.events where cause = 'move_pipeline'")
    assert row is not None
    assert tuple(row) == ("Ada", "pipeline line from version 1 to 2")
