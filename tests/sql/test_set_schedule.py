"""set_schedule makes and changes schedules; what is wrong with one is refused, but for its times."""

import json
from datetime import timedelta
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.conftest import Clock
from tests.sql.schedules import HOUR, a_schedule, an_active_schedule, fire, the_schedule
from tests.sql.test_set_queue import set_settings, trail

NESTED: Any = json.loads("[" * 200 + "]" * 200)


async def test_a_new_schedule_waits_for_a_worker_to_compute_its_first_slot(conn: Connection) -> None:
    await a_schedule(conn, "nightly", every=None, cron="0 7 * * 1-5", tz="Europe/Berlin", payload={"day": 1})
    made = await the_schedule(conn, "nightly")
    assert (made["state"], made["next_slot"], made["missed"], made["overlap"]) == (
        "new",
        None,
        "last",
        "allow",
    )
    assert (made["cron"], made["tz"], json.loads(made["payload"])) == (
        "0 7 * * 1-5",
        "Europe/Berlin",
        {"day": 1},
    )


async def test_a_change_returns_and_records_only_what_changed(conn: Connection) -> None:
    made = await set_settings(conn, "schedule", {"task": "report", "every": "5 minutes"})
    assert made == {
        "task": (None, "report"),
        "every": (None, 300),
        "tz": (None, "UTC"),
        "payload": (None, {}),
        "options": (None, {}),
        "missed": (None, "last"),
        "overlap": (None, "allow"),
    }
    changed = await set_settings(conn, "schedule", {"cron": "0 7 * * *", "missed": "all"})
    assert changed == {"every": (300, None), "cron": (None, "0 7 * * *"), "missed": ("last", "all")}
    assert await set_settings(conn, "schedule", {"missed": None}) == {"missed": ("all", "last")}
    assert await set_settings(conn, "schedule", {"cron": "0 7 * * *"}) == {}
    assert await set_settings(conn, "schedule", {"pipeline": "posts"}) == {
        "task": ("report", None),
        "pipeline": (None, "posts"),
    }
    assert [event[0] for event in await trail(conn)] == ["set_schedule"] * 4


async def test_other_times_count_from_the_change_on(conn: Connection, clock: Clock) -> None:
    await an_active_schedule(conn)
    await clock.advance(timedelta(days=1))
    await set_settings_of(conn, {"every": 60})
    changed = await the_schedule(conn)
    assert (changed["state"], changed["next_slot"]) == ("new", None)
    assert await clock.now() - changed["counts_from"] < timedelta(minutes=1)


async def test_another_payload_leaves_the_next_slot_and_ends_a_failure(
    conn: Connection, clock: Clock
) -> None:
    slot = await an_active_schedule(conn, task=None, pipeline="none")
    await clock.advance(HOUR)
    assert await fire(conn, slot) == ("failed", None)
    await set_settings_of(conn, {"task": "report", "payload": {"a": 1}})
    changed = await the_schedule(conn)
    assert (changed["state"], changed["problem"], changed["next_slot"]) == ("active", None, slot)
    assert changed["retry_at"] is None


async def set_settings_of(conn: Connection, settings: dict[str, Any]) -> None:
    await conn.execute("select holdfast.set_schedule('hourly', $1, 'because', 'Ada')", json.dumps(settings))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"task": "report"}, "a schedule needs either cron or every"),
        ({"cron": "* * * * *"}, "a schedule needs either a task or a pipeline"),
        ({"task": "a", "pipeline": "b", "every": 60}, "a schedule needs either a task or a pipeline"),
        ({"task": "a", "cron": "* * * * *", "every": 60}, "a schedule needs either cron or every"),
        ({"task": "a", "every": 0.5}, "every must be a whole number of seconds"),
        ({"task": "a", "every": 0}, "every must be a whole number of seconds"),
        ({"task": "a", "every": "soon"}, "A duration must be"),
        ({"task": "a", "every": 60, "missed": "some"}, "missed must be skip, last or all"),
        ({"task": "a", "every": 60, "overlap": "never"}, "overlap must be allow or skip"),
        ({"task": "a", "every": 60, "at": "noon"}, "A schedule has no setting at"),
        ({"task": "a", "every": 60, "options": {"delay": 5}}, "have no option delay"),
        ({"task": "a", "every": 60, "options": {"priority": "high"}}, "value of an option is invalid"),
        ({"task": "a", "every": 60, "options": {"labels": {"slot": 1}}}, "labels schedule and slot"),
        ({"task": "a", "every": 60, "payload": {"n": NESTED}}, "cannot be stored"),
        ([], "settings must be a JSON object"),
    ],
)
async def test_settings_that_no_schedule_has_are_refused(conn: Connection, settings: Any, words: str) -> None:
    error = await refusal(conn, "select holdfast.set_schedule('x', $1)", json.dumps(settings))
    assert error.sqlstate in ("HF001", "HF002")
    assert words in str(error)


async def test_a_schedule_has_a_short_name(conn: Connection) -> None:
    made = 'select holdfast.set_schedule($1, \'{"task": "a", "every": 60}\')'
    for name in ("", "x" * 101):
        assert "the name must have 1 to 100 characters" in str(await refusal(conn, made, name))
    await conn.execute(made, "x" * 100)


async def test_a_payload_of_null_restores_the_empty_one(conn: Connection) -> None:
    await a_schedule(conn, "x", payload={"day": 1})
    assert await set_settings(conn, "schedule", {"payload": None}) == {"payload": ({"day": 1}, {})}
