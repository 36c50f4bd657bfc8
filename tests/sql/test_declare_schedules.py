"""An app declares all of its schedules when it starts; what it no longer declares stays, and is marked."""

import json
from typing import Any

from holdfast.db.connect import Connection
from tests.sql.conftest import Clock
from tests.sql.schedules import HOUR, an_active_schedule, the_schedule
from tests.sql.test_set_queue import trail

TWO: dict[str, Any] = {"a": {"task": "report", "every": 60}, "b": {"pipeline": "posts", "cron": "0 7 * * *"}}


async def declare(conn: Connection, schedules: dict[str, Any], app: str = "shop") -> None:
    await conn.execute("select holdfast.declare_schedules($1, $2)", app, json.dumps(schedules))


async def test_a_declaration_writes_events_only_for_what_changed(conn: Connection) -> None:
    await declare(conn, TWO)
    await declare(conn, TWO)
    assert [event[0] for event in await trail(conn)] == ["declare_schedules"] * 2
    await declare(conn, {**TWO, "a": {"task": "report", "every": 120}})
    *_, (_, actor, reason, _, detail) = await trail(conn)
    assert (actor, reason) == (None, None)
    assert detail == {"schedule": "a", "before": {"every": 60}, "after": {"every": 120}}


async def test_a_restart_of_the_app_keeps_the_next_slot_and_a_pause(conn: Connection) -> None:
    slot = await an_active_schedule(conn)
    await conn.execute("select holdfast.pause_schedule('hourly', 'hot', 'Ada')")
    await declare(conn, {"hourly": {"task": "report", "every": 3600}})
    kept = await the_schedule(conn)
    assert (kept["state"], kept["next_slot"], kept["app"]) == ("paused", slot, "shop")


async def test_what_a_declaration_leaves_out_gets_its_default(conn: Connection) -> None:
    await an_active_schedule(conn, missed="all", options={"queue": "mail"}, payload={"a": 1})
    await declare(conn, {"hourly": {"task": "report", "every": 3600}})
    made = await the_schedule(conn)
    assert (made["missed"], made["options"], made["payload"]) == ("last", "{}", "{}")


async def test_a_schedule_that_its_app_no_longer_declares_stays_and_is_marked(
    conn: Connection, clock: Clock
) -> None:
    await declare(conn, TWO)
    await declare(conn, {"c": {"task": "else", "every": 60}}, "other")
    await declare(conn, {"a": TWO["a"]})
    first = (await the_schedule(conn, "b"))["undeclared_at"]
    assert first is not None
    await clock.advance(HOUR)
    await declare(conn, {})
    assert (await the_schedule(conn, "b"))["undeclared_at"] == first
    assert [(await the_schedule(conn, name))["undeclared_at"] is None for name in "abc"] == [
        False,
        False,
        True,
    ]
    await declare(conn, TWO)
    assert (await the_schedule(conn, "b"))["undeclared_at"] is None
