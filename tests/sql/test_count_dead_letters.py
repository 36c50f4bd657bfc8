"""How many dead letters fit a filter."""

from holdfast.db import dead
from holdfast.db.connect import Connection
from holdfast.model.dead_letter import Triage
from holdfast.model.id import JobId
from tests.builders import completed_job, dead_job, refusal, replay


async def test_letters_that_fit_are_counted_and_replayed_ones_are_not(conn: Connection) -> None:
    await completed_job(conn)
    died = [await dead_job(conn, queue="a") for _ in range(3)]
    await dead_job(conn, queue="b")
    await replay(conn, died[0].id)
    assert await dead.count_letters(conn, {}) == 3
    assert await dead.count_letters(conn, {"queue": "a"}) == 2


async def test_a_replay_takes_those_that_are_open_or_under_investigation(conn: Connection) -> None:
    _, second, third = [JobId((await dead_job(conn)).id) for _ in range(3)]
    await dead.triage_letters(conn, [second], Triage.INVESTIGATING, None, None, "Ada")
    await dead.triage_letters(conn, [third], Triage.RESOLVED, None, None, "Ada")
    assert await dead.count_letters(conn, {}) == 3
    assert await dead.count_replayable(conn, {}) == 2
    assert await dead.count_replayable(conn, {"status": "resolved"}) == 1


async def test_a_filter_that_is_not_known_is_refused(conn: Connection) -> None:
    refused = await refusal(conn, "select holdfast.count_dead_letters('{\"colour\": 1}')")
    assert "colour" in str(refused)
