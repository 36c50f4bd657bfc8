"""A removed schedule leaves its jobs, and an event with its settings."""

from holdfast.db.connect import Connection
from tests.builders import state_of
from tests.sql.conftest import Clock
from tests.sql.schedules import HOUR, an_active_schedule, fire
from tests.sql.test_set_queue import trail


async def test_a_removed_schedule_leaves_its_jobs(conn: Connection, clock: Clock) -> None:
    slot = await an_active_schedule(conn)
    await clock.advance(HOUR)
    fired = await fire(conn, slot)
    assert fired is not None
    await conn.execute("select holdfast.remove_schedule('hourly', 'over', 'Ada')")
    assert await conn.fetchval("select count(*) from holdfast.schedule_view") == 0
    assert await state_of(conn, fired[1]) == "ready"
    *_, (cause, actor, reason, _, detail) = await trail(conn)
    assert (cause, actor, reason) == ("remove_schedule", "Ada", "over")
    assert (detail["schedule"], detail["before"]["task"], detail["after"]["task"]) == (
        "hourly",
        "report",
        None,
    )
    assert await fire(conn, slot + HOUR) is None
