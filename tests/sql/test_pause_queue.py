"""Pausing and resuming are kept with who did it and why."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, refusal
from tests.sql.conftest import Clock


async def test_a_pause_keeps_its_first_time_and_its_reason(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, "q")
    await conn.execute("select holdfast.pause_queue('q', 'password=hunter2', 'Ada')")
    first = await conn.fetchrow("select paused_at, paused_reason from holdfast.queue_view where name = 'q'")
    assert first is not None
    assert first["paused_reason"] == "password=[redacted]"
    await conn.execute("select holdfast.pause_queue('q', 'still hot', 'Ada')")
    again = await conn.fetchrow("select paused_at, paused_reason from holdfast.queue_view where name = 'q'")
    assert again is not None
    assert (again["paused_at"], again["paused_reason"]) == (first["paused_at"], "still hot")
    await conn.execute("select holdfast.resume_queue('q', 'cooled', 'Grace')")
    row = await conn.fetchrow("select paused_at, paused_reason from holdfast.queue_view where name = 'q'")
    assert row is not None
    assert tuple(row) == (None, None)
    events = await conn.fetch("select cause, actor, reason from holdfast.event_view order by id")
    assert [tuple(event) for event in events] == [
        ("pause", "Ada", "password=[redacted]"),
        ("pause", "Ada", "still hot"),
        ("resume", "Grace", "cooled"),
    ]


async def test_a_queue_that_does_not_exist_is_not_found(conn: Connection) -> None:
    for verb in ("pause_queue", "resume_queue"):
        assert (await refusal(conn, f"select holdfast.{verb}('no-such')")).sqlstate == "HF004"
