"""The latest output of each stage that a job has been at."""

from holdfast.db.connect import Connection
from tests.builders import claim_one, complete, settle
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job


async def test_the_latest_output_of_each_stage_in_order_of_leaving(conn: Connection) -> None:
    await a_pipeline(conn)
    worker = await a_stage_worker(conn)
    job = await entered_job(conn)
    for n, stage in enumerate(["b", "a", "c"]):
        await settle(conn, await claim_one(conn, worker), "advance", {"stage": stage}, output=n)
    rows = await conn.fetch("select stage, output::text from holdfast.load_context($1)", job)
    assert [tuple(row) for row in rows] == [("b", "1"), ("a", "2")]


async def test_a_replayed_job_keeps_what_earlier_stages_left(conn: Connection) -> None:
    await a_pipeline(conn)
    worker = await a_stage_worker(conn)
    job = await entered_job(conn)
    await settle(conn, await claim_one(conn, worker), "advance", None, output="kept")
    await complete(conn, await claim_one(conn, worker), "over")
    await conn.execute("select holdfast.replay_jobs($1)", [job])
    rows = await conn.fetch("select stage, output::text from holdfast.load_context($1)", job)
    assert [tuple(row) for row in rows] == [("a", '"kept"'), ("b", '"over"')]


async def test_a_branch_sees_what_the_job_before_it_saw(conn: Connection) -> None:
    await a_pipeline(conn)
    worker = await a_stage_worker(conn)
    await entered_job(conn)
    held = await claim_one(conn, worker)
    await settle(conn, held, "advance", {"stages": ["b", "c"]}, output="shared")
    branch = await claim_one(conn, worker)
    rows = await conn.fetch("select stage, output::text from holdfast.load_context($1)", branch.id)
    assert branch.id != held.id
    assert [tuple(row) for row in rows] == [("a", '"shared"')]
