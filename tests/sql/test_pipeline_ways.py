"""The ways that jobs took through the stages of a pipeline."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import complete, ready_job, refusal, settle
from tests.sql.conftest import Clock
from tests.stage_builders import a_pipeline, walked_job

WAYS = "select * from holdfast.pipeline_ways('line', '1 hour', $1)"


async def test_ways_are_counted_by_their_stages_and_their_end(conn: Connection, clock: Clock) -> None:
    await a_pipeline(conn)
    await ready_job(conn, queue="other")
    for _ in range(2):
        assert await complete(conn, await walked_job(conn, "b", "c"))
    slow = await walked_job(conn, "b", "a", "b", "c")
    await clock.advance(timedelta(seconds=90))
    assert await complete(conn, slow)
    assert await settle(conn, await walked_job(conn), "reject", {"reason": "not for us"})
    rows = await conn.fetch(WAYS, 20)
    assert [(row["way"], row["state"], row["jobs"]) for row in rows] == [
        (["a", "b", "c"], "completed", 2),
        (["a"], "rejected", 1),
        (["a", "b", "a", "b", "c"], "completed", 1),
    ]
    assert rows[2]["took_p95"] >= timedelta(seconds=90)
    assert not rows[0]["is_partial"]
    assert len(await conn.fetch(WAYS, 1)) == 1
    await clock.advance(timedelta(hours=2))
    assert await conn.fetch(WAYS, 20) == []


async def test_a_negative_number_is_refused(conn: Connection) -> None:
    assert (await refusal(conn, WAYS, -1)).sqlstate == "HF002"
