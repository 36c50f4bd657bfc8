"""A paused schedule fires nothing."""

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.conftest import Clock
from tests.sql.schedules import HOUR, an_active_schedule, due, fire, the_schedule
from tests.sql.test_set_queue import trail


async def test_a_paused_schedule_is_not_due_and_does_not_fire(conn: Connection, clock: Clock) -> None:
    slot = await an_active_schedule(conn)
    await conn.execute("select holdfast.pause_schedule('hourly', 'too hot', 'Ada')")
    await clock.advance(2 * HOUR)
    assert await due(conn) == []
    assert await fire(conn, slot) is None
    paused = await the_schedule(conn)
    assert (paused["state"], paused["paused_reason"]) == ("paused", "too hot")
    assert (await trail(conn))[-1][:3] == ("pause_schedule", "Ada", "too hot")


async def test_an_unknown_schedule_is_refused_by_every_verb(conn: Connection) -> None:
    for verb in ("pause", "resume", "remove", "run"):
        error = await refusal(conn, f"select holdfast.{verb}_schedule('none')")
        assert error.sqlstate == "HF004"
