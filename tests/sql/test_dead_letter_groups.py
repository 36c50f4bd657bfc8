"""Dead letters that are alike, with counts and trend."""

from datetime import timedelta

from holdfast.db import dead
from holdfast.db.connect import Connection
from tests.builders import dead_job, fail, running_job
from tests.sql.conftest import Clock


async def test_errors_that_differ_in_numbers_and_names_only_are_one_group(conn: Connection) -> None:
    for message in ("user 17 not found in 'a'", "user 18 not found in 'b'", "connection refused"):
        await dead_job(conn, message)
    groups = await dead.letter_groups(conn, {})
    assert [(group.letters, group.open) for group in groups] == [(2, 2), (1, 1)]
    assert groups[0].message == "user 18 not found in 'b'"
    assert groups[0].error_class == "permanent"
    assert groups[0].error_type == "ValueError"
    assert not groups[0].is_partial


async def test_the_same_error_in_two_places_is_two_groups(conn: Connection) -> None:
    for place in ("a.py:1 in f", "b.py:2 in g"):
        assert await fail(conn, await running_job(conn), "permanent", place=place)
    assert {group.place for group in await dead.letter_groups(conn, {})} == {"a.py:1 in f", "b.py:2 in g"}


async def test_a_trend_compares_this_hour_with_the_one_before(conn: Connection, clock: Clock) -> None:
    await dead_job(conn)
    await clock.advance(timedelta(minutes=90))
    for _ in range(2):
        await dead_job(conn)
    (group,) = await dead.letter_groups(conn, {})
    assert (group.letters, group.last_hour, group.hour_before) == (3, 2, 1)
    assert group.last_at - group.first_at >= timedelta(minutes=90)


async def test_groups_can_be_filtered_and_limited(conn: Connection) -> None:
    await dead_job(conn, "one", queue="a", task="x")
    await dead_job(conn, "two words", queue="b", task="y")
    (group,) = await dead.letter_groups(conn, {"queue": "b"})
    assert (group.tasks, group.reasons) == (["y"], ["permanent"])
    assert len(await dead.letter_groups(conn, {}, limit=1)) == 1
