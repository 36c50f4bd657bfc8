"""Attempts that went wrong, in groups of similar errors, over time."""

from datetime import timedelta

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim_one, dead_job, fail, ready_job, refusal
from tests.sql.conftest import Clock


async def trends(conn: Connection, most: int = 20) -> list[Record]:
    return await conn.fetch("select * from holdfast.error_trends('1 hour', 6, $1)", most)


async def test_the_first_row_counts_all_and_the_others_add_up_to_it(conn: Connection, clock: Clock) -> None:
    for message in ("row 1 is bad", "row 2 is bad", "no route"):
        await dead_job(conn, message, task="load")
    total, *groups = await trends(conn)
    assert (total["attempts"], total["jobs"], total["sample"], total["groups"]) == (3, 3, None, 2)
    assert [group["attempts"] for group in groups] == [2, 1]
    assert [group["tasks"] for group in groups] == [["load"], ["load"]]
    assert total["trend"] == [0, 0, 0, 0, 0, 3]
    for place in range(6):
        assert sum(group["trend"][place] for group in groups) == total["trend"][place]
    assert groups[0]["sample"] is not None
    assert not total["is_partial"]


async def test_a_trend_shows_when_and_the_period_before_is_apart(conn: Connection, clock: Clock) -> None:
    await dead_job(conn, "it broke")
    await clock.advance(timedelta(minutes=70))
    for _ in range(2):
        await dead_job(conn, "it broke")
    await clock.advance(timedelta(minutes=20))
    await dead_job(conn, "it broke")
    _, group = await trends(conn)
    assert (group["attempts"], group["before"]) == (3, 1)
    assert (group["trend"][5], sum(group["trend"][:5])) == (1, 2)


async def test_an_error_of_the_period_before_only_is_no_group(conn: Connection, clock: Clock) -> None:
    await dead_job(conn, "it broke")
    await clock.advance(timedelta(minutes=70))
    (total,) = await trends(conn)
    assert (total["attempts"], total["before"], total["groups"]) == (0, 1, 0)


async def test_a_deferral_is_an_attempt_that_went_wrong(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ready_job(conn)
    await fail(conn, await claim_one(conn, worker), "rate_limited", message="429")
    total, group = await trends(conn)
    assert total["attempts"] == 1
    assert (group["class"], sum(group["trend"])) == ("rate_limited", 1)


async def test_the_most_frequent_errors_are_returned_and_the_rest_counted(
    conn: Connection, clock: Clock
) -> None:
    for message, times in (("a", 1), ("b", 3), ("c", 2)):
        for _ in range(times):
            await dead_job(conn, f"the {message} broke")
    total, *groups = await trends(conn, 2)
    assert [group["attempts"] for group in groups] == [3, 2]
    assert (total["attempts"], total["groups"]) == (6, 3)
    assert len(await trends(conn, 0)) == 1


async def test_a_negative_number_of_groups_is_refused(conn: Connection) -> None:
    exc = await refusal(conn, "select * from holdfast.error_trends(max => -1)")
    assert exc.sqlstate == "HF002"
