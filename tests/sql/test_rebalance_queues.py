"""Rebalancing: jobs move between two queues while one is much deeper than the other."""

from datetime import timedelta
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, ready_jobs, to_json
from tests.sql.conftest import Clock

MEDIUM = '$.repository_size == "medium"'
Rows = list[tuple[Any, ...]]


async def a_pair(conn: Connection, source: str = "fast", to: str = "bulk", **policy: Any) -> None:
    await a_queue(conn, source)
    await a_queue(conn, to)
    given = to_json({"least_depth": 1, **policy})
    await conn.execute("select holdfast.set_rebalance($1, $2, $3)", source, to, given)


async def rebalance(conn: Connection, **given: Any) -> Rows:
    rows = await conn.fetch(
        "select from_queue, to_queue, jobs, result from holdfast.rebalance_queues($1, $2, actor => 'Ada')",
        given.get("dry_run", False),
        given.get("every", timedelta()),
    )
    return [tuple(row) for row in rows]


async def ready_in(conn: Connection, queue: str) -> int:
    count: int = await conn.fetchval("select ready from holdfast.count_jobs($1)", queue)
    return count


async def test_above_the_ratio_medium_jobs_move_until_the_two_are_equal(conn: Connection) -> None:
    await a_pair(conn, condition=MEDIUM)
    await ready_jobs(conn, 6, queue="fast", payload={"repository_size": "small"})
    medium = await ready_jobs(conn, 10, queue="fast", payload={"repository_size": "medium"})
    large = {"repository_size": "medium", "text": "x" * 3000}  # which lies in a table of its own
    await ready_jobs(conn, 1, queue="fast", priority=90, payload=large)
    await ready_jobs(conn, 3, queue="bulk")
    assert await rebalance(conn) == [("fast", "bulk", 7, "moved")]
    assert (await ready_in(conn, "fast"), await ready_in(conn, "bulk")) == (10, 10)
    moved = await conn.fetch(
        "select payload ->> 'repository_size' from holdfast.job_view where queue = 'bulk'"
    )
    assert [row[0] for row in moved if row[0]] == ["medium"] * 7
    assert await conn.fetchval("select queue from holdfast.jobs where id = $1", medium[0]) == "bulk"


async def test_exactly_the_ratio_moves_nothing_and_one_job_more_does(conn: Connection) -> None:
    await a_pair(conn)
    await ready_jobs(conn, 11, queue="fast")  # (11 + 1) / (3 + 1)
    await ready_jobs(conn, 3, queue="bulk")
    assert await rebalance(conn, dry_run=True) == [("fast", "bulk", 0, "balanced")]
    await conn.execute("update holdfast.depth_samples set ready = 12 where queue = 'fast'")
    assert await rebalance(conn) == [("fast", "bulk", 4, "moved")]


async def test_a_dry_run_changes_nothing(conn: Connection) -> None:
    await a_pair(conn, max_jobs=3)
    await ready_jobs(conn, 20, queue="fast")
    assert await rebalance(conn, dry_run=True) == [("fast", "bulk", 3, "would_move")]
    assert await ready_in(conn, "fast") == 20
    assert (
        await conn.fetchval("select count(*) from holdfast.events where cause in ('move', 'rebalance')") == 0
    )


async def test_the_trail_has_one_event_with_the_depths(conn: Connection) -> None:
    await a_pair(conn)
    await ready_jobs(conn, 8, queue="fast")
    await rebalance(conn)
    row = await conn.fetchrow("select * from holdfast.audit_view where cause = 'rebalance'")
    assert row is not None
    assert (row["actor"], row["reason"]) == ("Ada", "8 to 0 ready jobs: more than 3 to 1")
    assert '"ready": 4' in row["detail"]


async def test_a_shallow_queue_and_a_paused_one_are_left_alone(conn: Connection, clock: Clock) -> None:
    await a_pair(conn, least_depth=9)
    await ready_jobs(conn, 8, queue="fast")
    assert await rebalance(conn) == [("fast", "bulk", 0, "shallow")]
    await ready_jobs(conn, 1, queue="fast")
    await clock.advance(timedelta(minutes=1))
    for pause, resume in [
        ("pause_queue('bulk')", "resume_queue('bulk')"),
        ("pause_queue('fast')", "resume_queue('fast')"),
        ("pause_all_queues()", "resume_all_queues()"),
    ]:
        await conn.execute(f"select holdfast.{pause}")
        assert await rebalance(conn) == [("fast", "bulk", 0, "paused")]
        await conn.execute(f"select holdfast.{resume}")
    assert await rebalance(conn) == [("fast", "bulk", 4, "moved")]


@pytest.mark.parametrize("condition", ["$.items > 10", '$.items.a.datetime("bogus") < "2030".datetime()'])
async def test_where_no_job_satisfies_the_condition_none_moves(conn: Connection, condition: str) -> None:
    """A payload without the field, or with another type in it, is no error; nor is a wrong template."""
    await a_pair(conn, condition=condition)
    await ready_jobs(conn, 4, queue="fast", payload={"items": {"a": "b"}})
    await ready_jobs(conn, 4, queue="fast", payload={})
    assert await rebalance(conn) == [("fast", "bulk", 0, "none_eligible")]


async def test_a_second_round_waits_for_the_next_sample(conn: Connection, clock: Clock) -> None:
    await a_pair(conn, max_jobs=2)
    await ready_jobs(conn, 20, queue="fast")
    assert await rebalance(conn) == [("fast", "bulk", 2, "moved")]
    assert await rebalance(conn) == [("fast", "bulk", 0, "not_sampled")]
    await clock.advance(timedelta(minutes=1))
    assert await rebalance(conn) == [("fast", "bulk", 2, "moved")]


async def test_jobs_do_not_go_back_and_forth(conn: Connection, clock: Clock) -> None:
    """Both directions are declared: the deeper queue gives, and after that the two are equal."""
    await a_pair(conn)
    await a_pair(conn, "bulk", "fast")
    await ready_jobs(conn, 21, queue="fast")
    assert await rebalance(conn) == [("fast", "bulk", 10, "moved"), ("bulk", "fast", 0, "not_sampled")]
    for _ in range(3):
        await clock.advance(timedelta(minutes=1))
        assert {row[3] for row in await rebalance(conn)} == {"balanced"}
    assert (await ready_in(conn, "fast"), await ready_in(conn, "bulk")) == (11, 10)


async def test_a_queue_gives_to_one_other_in_a_round(conn: Connection, clock: Clock) -> None:
    await a_pair(conn, to="bulk")
    await a_pair(conn, to="spare")
    await ready_jobs(conn, 20, queue="fast")
    await ready_jobs(conn, 1, queue="bulk")
    assert await rebalance(conn) == [("fast", "spare", 10, "moved"), ("fast", "bulk", 0, "not_sampled")]
    await clock.advance(timedelta(minutes=1))
    assert await rebalance(conn) == [("fast", "bulk", 4, "moved"), ("fast", "spare", 0, "not_sampled")]


async def test_the_maintenance_task_moves_every_five_minutes(conn: Connection, clock: Clock) -> None:
    await a_pair(conn, max_jobs=1)
    await ready_jobs(conn, 20, queue="fast")
    every = timedelta(minutes=5)
    assert await rebalance(conn, every=every) == [("fast", "bulk", 1, "moved")]
    await clock.advance(timedelta(minutes=4))
    assert await rebalance(conn, every=every) == []
    await clock.advance(timedelta(minutes=1))
    assert await rebalance(conn, every=every) == [("fast", "bulk", 1, "moved")]


async def test_without_pairs_nothing_is_counted(conn: Connection) -> None:
    await ready_jobs(conn, 20, queue="fast")
    assert await rebalance(conn) == []
    assert await conn.fetchval("select count(*) from holdfast.depth_samples") == 0
