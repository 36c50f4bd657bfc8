"""check_schedule stores what a worker computed, unless the schedule was changed meanwhile."""

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.conftest import Clock
from tests.sql.schedules import HOUR, a_schedule, an_active_schedule, due, the_schedule

CHECK = "select holdfast.check_schedule('hourly', $1, $2, $3)"


async def test_of_two_workers_that_check_it_one_does(conn: Connection) -> None:
    await a_schedule(conn)
    counts_from = (await the_schedule(conn))["counts_from"]
    assert await conn.fetchval(CHECK, counts_from, counts_from + HOUR, None)
    assert not await conn.fetchval(CHECK, counts_from, counts_from + 2 * HOUR, None)
    assert (await the_schedule(conn))["next_slot"] == counts_from + HOUR


async def test_a_schedule_that_cannot_be_read_is_invalid_with_the_reason(conn: Connection) -> None:
    await a_schedule(conn, every=None, cron="every day")
    counts_from = (await the_schedule(conn))["counts_from"]
    assert await conn.fetchval(CHECK, counts_from, None, "no five fields")
    found = await the_schedule(conn)
    assert (found["state"], found["problem"], found["next_slot"]) == ("invalid", "no five fields", None)
    assert await due(conn) == []


async def test_what_was_computed_before_a_change_is_not_stored(conn: Connection, clock: Clock) -> None:
    await an_active_schedule(conn)
    counts_from = (await the_schedule(conn))["counts_from"]
    await clock.advance(HOUR)
    await conn.execute("""select holdfast.set_schedule('hourly', '{"every": 60}')""")
    assert not await conn.fetchval(CHECK, counts_from, counts_from + HOUR, None)
    assert not await conn.fetchval(CHECK, counts_from, None, "bad")
    assert (await the_schedule(conn))["state"] == "new"


async def test_a_first_slot_comes_later_and_a_problem_has_none(conn: Connection) -> None:
    await a_schedule(conn)
    counts_from = (await the_schedule(conn))["counts_from"]
    for slot, problem in ((counts_from, None), (None, None), (counts_from + HOUR, "bad")):
        assert (await refusal(conn, CHECK, counts_from, slot, problem)).sqlstate == "HF002"
