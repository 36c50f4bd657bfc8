"""Pausing and resuming are kept with who did it and why."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, refusal
from tests.sql.conftest import Clock

PAUSE = "select paused_at, paused_reason, paused_by from holdfast.queue_view where name = 'q'"


async def test_a_pause_keeps_its_first_time_its_last_reason_and_actor(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, "q")
    await conn.execute("select holdfast.pause_queue('q', 'password=hunter2', 'Ada')")
    first = await conn.fetchrow(PAUSE)
    assert first is not None
    assert tuple(first)[1:] == ("password=[redacted]", "Ada")
    await conn.execute("select holdfast.pause_queue('q', 'still hot', 'Grace')")
    again = await conn.fetchrow(PAUSE)
    assert again is not None
    assert tuple(again) == (first["paused_at"], "still hot", "Grace")
    await conn.execute("select holdfast.resume_queue('q', 'cooled', 'Grace')")
    row = await conn.fetchrow(PAUSE)
    assert row is not None
    assert tuple(row) == (None, None, None)
    events = await conn.fetch("select cause, actor, reason from holdfast.event_view order by id")
    assert [tuple(event) for event in events] == [
        ("pause", "Ada", "password=[redacted]"),
        ("pause", "Grace", "still hot"),
        ("resume", "Grace", "cooled"),
    ]


async def test_a_queue_that_does_not_exist_is_not_found(conn: Connection) -> None:
    for verb in ("pause_queue", "resume_queue"):
        assert (await refusal(conn, f"select holdfast.{verb}('no-such')")).sqlstate == "HF004"
