"""Where jobs went when they left a stage."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import complete
from tests.sql.conftest import Clock
from tests.stage_builders import a_pipeline, walked_job

MOVES = "select from_stage, to_stage, moves from holdfast.stage_moves('line', $1)"
HOUR = timedelta(hours=1)


async def test_moves_are_counted_by_where_they_led(conn: Connection, clock: Clock) -> None:
    await a_pipeline(conn)
    await walked_job(conn, "b", "c")
    assert await complete(conn, await walked_job(conn, "b", "a", "c"))
    await walked_job(conn, "c")
    found = {(row["from_stage"], row["to_stage"]): row["moves"] for row in await conn.fetch(MOVES, HOUR)}
    assert found == {("a", "b"): 2, ("b", "c"): 1, ("b", "a"): 1, ("a", "c"): 2}


async def test_only_this_pipeline_and_this_time_count(conn: Connection, clock: Clock) -> None:
    await a_pipeline(conn)
    await a_pipeline(conn, "other", ("x", "y"))
    await walked_job(conn, "y", name="other")
    await walked_job(conn, "b")
    await clock.advance(timedelta(hours=2))
    assert await conn.fetch(MOVES, HOUR) == []
    assert [tuple(row) for row in await conn.fetch(MOVES, timedelta(hours=3))] == [("a", "b", 1)]
