"""Live jobs of each queue: counted now where they are few, from the newest sample where they are many."""

from datetime import timedelta
from typing import Any

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_queue, ready_job, ready_jobs, refusal
from tests.sql.conftest import Clock
from tests.sql.depths import sample, some_jobs

PLANT = """
insert into holdfast.depth_samples (
  queue, minute, began_at, sampled_at, waiting, scheduled, ready, running, oldest_ready)
select $1, date_trunc('minute', at), at, at, 0, 0, $2, 3, at - interval '1 hour'
from (select holdfast.now() - interval '1 minute' as at offset 0) as moment
"""


async def depths(conn: Connection) -> dict[str, Record]:
    return {row["queue"]: row for row in await conn.fetch("select * from holdfast.queue_depths()")}


def counts(row: Record) -> tuple[Any, ...]:
    return row["waiting"], row["scheduled"], row["ready"], row["running"]


async def test_few_jobs_are_counted_now(conn: Connection) -> None:
    assert await depths(conn) == {}
    wanted = await some_jobs(conn)
    found = await depths(conn)
    assert {queue: counts(row) for queue, row in found.items() if any(counts(row))} == wanted
    assert {row["sampled_at"] for row in found.values()} == {None}


async def test_a_small_sample_does_not_stand_for_what_came_later(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    await sample(conn)
    await clock.advance(timedelta(seconds=10))
    await ready_jobs(conn, 2)
    row = (await depths(conn))["default"]
    assert (row["ready"], row["sampled_at"]) == (3, None)


async def test_a_large_queue_shows_its_newest_sample(conn: Connection) -> None:
    await ready_job(conn)
    await conn.execute(PLANT, "default", 12_345)
    row = (await depths(conn))["default"]
    assert counts(row) == (0, 0, 12_345, 3)
    assert row["sampled_at"] - row["oldest_ready"] == timedelta(hours=1)


async def test_beyond_a_hundred_thousand_jobs_the_larger_queues_show_their_samples(conn: Connection) -> None:
    for place in range(15):
        await a_queue(conn, f"q{place:02}")
        await conn.execute(PLANT, f"q{place:02}", 9_000 + place)
    found = await depths(conn)
    assert sorted(queue for queue, row in found.items() if row["sampled_at"] is None) == [
        f"q{place:02}" for place in range(11)
    ]


async def test_without_a_sample_a_state_is_counted_to_ten_thousand(conn: Connection) -> None:
    await ready_jobs(conn, 10_002)
    row = (await depths(conn))["default"]
    assert (row["ready"], row["sampled_at"]) == (10_000, None)
    await sample(conn)
    row = (await depths(conn))["default"]
    assert (row["ready"], row["sampled_at"] is None) == (10_002, False)


async def test_pauses_are_seen_by_name_and_for_all(conn: Connection) -> None:
    await a_queue(conn, "one")
    await a_queue(conn, "two")
    await conn.execute("select holdfast.pause_queue('one')")
    assert {queue: row["is_paused"] for queue, row in (await depths(conn)).items()} == {
        "one": True,
        "two": False,
    }
    await conn.execute("select holdfast.pause_all_queues()")
    assert all(row["is_paused"] for row in (await depths(conn)).values())


async def test_as_many_queues_as_asked_for_are_returned_by_name(conn: Connection) -> None:
    for name in ("b", "a", "c"):
        await a_queue(conn, name)
    rows = await conn.fetch("select queue from holdfast.queue_depths(2)")
    assert [row["queue"] for row in rows] == ["a", "b"]
    assert "max" in str(await refusal(conn, "select * from holdfast.queue_depths(-1)"))
