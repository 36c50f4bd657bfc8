"""All that became of a job so far, in order."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, claim_one, fail, settle
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job


async def test_outputs_errors_and_rejections_in_order(conn: Connection) -> None:
    await a_pipeline(conn, stages=[{"name": "a", "task": "a", "on_reject": "retry"}, "b"])
    await a_queue(conn, "line.a", retry=[0, 0, 0])
    worker = await a_stage_worker(conn)
    job = await entered_job(conn)
    await fail(conn, await claim_one(conn, worker), message="it broke")
    await settle(conn, await claim_one(conn, worker), "reject", {"reason": "too short"})
    await settle(conn, await claim_one(conn, worker), "advance", None, output=1)
    rows = await conn.fetch(
        "select what, stage, visit, attempt, message, output::text from holdfast.load_history($1)", job
    )
    assert [tuple(row) for row in rows] == [
        ("failed", "a", 1, 1, "it broke", None),
        ("rejected", "a", 1, 2, "too short", None),
        ("output", "a", 1, 3, None, "1"),
    ]


async def test_a_rejection_that_ended_the_job_is_told_after_a_replay(conn: Connection) -> None:
    await a_pipeline(conn)
    job = await entered_job(conn)
    held = await claim_one(conn, await a_stage_worker(conn))
    await settle(conn, held, "reject", {"reason": "spam"})
    await conn.execute("select holdfast.replay_jobs($1)", [job])
    rows = await conn.fetch("select what, message from holdfast.load_history($1)", job)
    assert [tuple(row) for row in rows] == [("rejected", "spam")]
