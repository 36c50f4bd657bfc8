"""fire_schedule: one job per slot, by compare-and-set."""

import json
from datetime import timedelta
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim_one, complete, ready_jobs, refusal, the_job
from tests.sql.conftest import Clock
from tests.sql.schedules import HOUR, an_active_schedule, due, fire, the_schedule


async def jobs_of(conn: Connection, name: str = "hourly") -> list[str]:
    """The slots of its jobs."""
    rows = await conn.fetch(
        "select labels ->> 'slot' as slot from holdfast.job_view where labels ->> 'schedule' = $1"
        " order by id",
        name,
    )
    return [row["slot"] for row in rows]


async def test_a_slot_makes_one_job_that_says_which(conn: Connection, clock: Clock) -> None:
    slot = await an_active_schedule(
        conn, payload={"a": 1}, options={"queue": "mail", "priority": 70, "labels": {"team": "x"}}
    )
    await clock.advance(HOUR)
    fired = await fire(conn, slot)
    assert fired is not None
    result, job = fired
    assert result == "fired"
    made = await the_job(conn, job)
    words = f"{slot:%Y-%m-%dT%H:%M:%SZ}"
    assert (made["task"], made["queue"], made["priority"], made["state"]) == ("report", "mail", 70, "ready")
    assert json.loads(made["payload"]) == {"a": 1}
    assert json.loads(made["labels"]) == {"team": "x", "schedule": "hourly", "slot": words}
    assert (made["origin"], made["claimed_actor"]) == ("scheduled", "schedule hourly")
    assert made["unique_key"] == f"hourly {words}"
    moved = await the_schedule(conn)
    assert (moved["last_slot"], moved["last_job"], moved["last_state"]) == (slot, job, "ready")
    assert moved["next_slot"] == slot + HOUR


async def test_the_same_slot_fires_once(conn: Connection, clock: Clock) -> None:
    slot = await an_active_schedule(conn)
    await clock.advance(HOUR)
    assert await fire(conn, slot) is not None
    assert await fire(conn, slot) is None
    assert len(await jobs_of(conn)) == 1


async def test_no_slot_fires_before_its_time(conn: Connection, clock: Clock) -> None:
    slot = await an_active_schedule(conn)
    assert await fire(conn, slot) is None
    await clock.advance(HOUR)
    assert await fire(conn, slot, newest=slot + HOUR) is None
    assert await jobs_of(conn) == []


async def test_slots_are_given_in_the_order_of_time(conn: Connection) -> None:
    slot = await an_active_schedule(conn)
    call = "select holdfast.fire_schedule('hourly', $1, $2, $3)"
    for following, newest in ((slot, None), (slot + HOUR, slot - HOUR), (None, None)):
        assert (await refusal(conn, call, slot, following, newest)).sqlstate == "HF002"


@pytest.mark.parametrize(
    ("missed", "late", "result", "skipped"),
    [
        ("last", timedelta(minutes=50), "fired", True),
        ("skip", timedelta(seconds=50), "fired", True),
        ("skip", timedelta(minutes=2), "missed", True),
    ],
)
async def test_of_missed_slots_the_newest_runs_if_the_policy_lets_it(
    conn: Connection, clock: Clock, missed: str, late: timedelta, result: str, skipped: bool
) -> None:
    slot = await an_active_schedule(conn, missed=missed)
    await clock.advance(3 * HOUR + late)
    newest = slot + 2 * HOUR
    fired = await fire(conn, slot, newest=newest)
    assert fired is not None
    assert fired[0] == result
    assert await jobs_of(conn) == ([f"{newest:%Y-%m-%dT%H:%M:%SZ}"] if result == "fired" else [])
    moved = await the_schedule(conn)
    assert (moved["skipped_slot"], moved["skipped_because"]) == (slot, "missed")
    assert moved["next_slot"] == newest + HOUR


async def test_a_schedule_that_runs_all_missed_slots_leaves_none_out(conn: Connection, clock: Clock) -> None:
    slot = await an_active_schedule(conn, missed="all")
    await clock.advance(3 * HOUR)
    assert await fire(conn, slot, newest=slot + HOUR) is None
    for behind in range(3):
        assert await fire(conn, slot + behind * HOUR) is not None
    assert len(await jobs_of(conn)) == 3
    assert (await the_schedule(conn))["skipped_slot"] is None


async def test_a_slot_is_skipped_while_the_job_of_the_last_one_lives(conn: Connection, clock: Clock) -> None:
    slot = await an_active_schedule(conn, overlap="skip")
    worker = await a_worker(conn)
    await clock.advance(2 * HOUR)
    assert await fire(conn, slot) is not None
    assert await fire(conn, slot + HOUR) == ("overlap", None)
    found = await the_schedule(conn)
    assert (found["last_slot"], found["skipped_slot"], found["skipped_because"]) == (
        slot,
        slot + HOUR,
        "overlap",
    )
    assert found["next_slot"] == slot + 2 * HOUR
    await conn.execute("select holdfast.renew_lease($1)", worker)
    assert await complete(conn, await claim_one(conn, worker))
    await clock.advance(HOUR)
    assert (await fire(conn, slot + 2 * HOUR) or [""])[0] == "fired"


@pytest.mark.parametrize("missed", ["last", "skip"])
async def test_a_refused_job_keeps_its_slot_and_is_tried_again_after_a_minute(
    conn: Connection, clock: Clock, missed: str
) -> None:
    slot = await an_active_schedule(conn, task=None, pipeline="posts", missed=missed)
    await an_active_schedule(conn, "other")
    await clock.advance(HOUR)
    assert await fire(conn, slot) == ("failed", None)
    found = await the_schedule(conn)
    assert (found["state"], found["next_slot"]) == ("failing", slot)
    assert "There is no pipeline posts" in found["problem"]
    assert await due(conn) == ["other"]
    await conn.execute(
        """select holdfast.declare_pipeline('posts', '{"stages": [{"name": "one", "task": "write"}]}')"""
    )
    await clock.advance(timedelta(minutes=1, seconds=1))
    assert "hourly" in await due(conn)
    fired: Any = await fire(conn, slot)
    made = await the_job(conn, fired[1])
    assert (made["task"], made["stage"]) == ("write", "one")
    healed = await the_schedule(conn)
    assert (healed["state"], healed["problem"]) == ("active", None)


async def test_a_slot_that_has_its_job_gets_no_second_one_after_the_clock_was_set_back(
    conn: Connection, clock: Clock
) -> None:
    slot = await an_active_schedule(conn)
    await clock.advance(HOUR)
    first: Any = await fire(conn, slot)
    for payload in ("{}", '{"a": 1}'):
        await conn.execute(
            "update holdfast.schedules set next_slot = $1, last_job = null, payload = $2", slot, payload
        )
        assert await fire(conn, slot) == ("fired", first[1])
    assert (await the_schedule(conn))["last_job"] == first[1]
    assert len(await jobs_of(conn)) == 1


async def test_explain_says_which_slot_made_a_job(conn: Connection, clock: Clock) -> None:
    slot = await an_active_schedule(conn)
    await ready_jobs(conn, 1)
    await clock.advance(HOUR)
    fired: Any = await fire(conn, slot)
    rows = await conn.fetch("select * from holdfast.explain($1) where blocker = 'schedule'", fired[1])
    assert [(row["detail"], row["blocks"]) for row in rows] == [
        (f"The schedule hourly made it for its slot {slot:%Y-%m-%dT%H:%M:%SZ}.", False)
    ]
