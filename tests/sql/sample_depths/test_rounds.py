"""A count that takes longer than one call continues where it stopped, also within a lane."""

import asyncio
from datetime import timedelta

import asyncpg

from holdfast.db.connect import Connection
from tests.builders import ready_job, ready_jobs
from tests.sql.conftest import Clock
from tests.sql.depths import counts, sample, samples, some_jobs

ROUNDS = 200  # far more than needed


async def until_done(conn: Connection, chunk: int) -> int:
    """Calls that count one chunk each; returns how many it took to store a sample of every queue."""
    await sample(conn, "0", chunk)
    for called in range(1, ROUNDS):
        place = "select counts -> 'place' = 'null' from holdfast.chores where name = 'sample_depths'"
        if await conn.fetchval(place):
            return called
        await sample(conn, "0", chunk)
    raise AssertionError("it did not end")


async def test_chunk_by_chunk_the_counts_are_the_same(conn: Connection) -> None:
    wanted = await some_jobs(conn)
    assert await until_done(conn, 1) > sum(map(sum, wanted.values()))
    assert await counts(conn) == wanted


async def test_chunks_that_end_with_a_priority_are_no_exception(conn: Connection) -> None:
    await ready_jobs(conn, 4, priority=90)
    await ready_jobs(conn, 4, priority=10)
    await until_done(conn, 4)
    assert (await counts(conn))["default"] == (0, 0, 8, 0)


async def test_a_queue_that_takes_several_calls_says_when_its_count_began(
    conn: Connection, clock: Clock
) -> None:
    await ready_jobs(conn, 3)
    await sample(conn, "0", 2)
    assert await samples(conn) == []
    await clock.advance(timedelta(seconds=10))
    await until_done(conn, 2)
    (row,) = await samples(conn)
    assert row["sampled_at"] - row["began_at"] >= timedelta(seconds=10)


async def test_a_queue_is_stored_only_when_all_its_lanes_were_counted(conn: Connection) -> None:
    await ready_job(conn)
    await ready_job(conn, group="gpu")
    await sample(conn, "0")
    assert await samples(conn) == []
    await until_done(conn, 50_000)
    assert (await counts(conn))["default"] == (0, 0, 2, 0)


async def test_a_round_that_outlasts_its_minute_is_finished_before_the_next_begins(
    conn: Connection, clock: Clock
) -> None:
    await ready_job(conn, queue="a")
    await ready_job(conn, queue="b")
    for _ in range(10):
        await sample(conn, "0")
        await clock.advance(timedelta(seconds=50))
    assert {row["queue"] for row in await samples(conn)} == {"a", "b"}


async def test_one_call_counts_at_a_time(database_url: str) -> None:
    one, two = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    async with one.transaction():
        assert await sample(one) is not None
        assert await sample(two) is None
    await asyncio.gather(one.close(), two.close())


async def test_a_queue_that_became_empty_is_found_after_a_round_of_several_calls(
    conn: Connection, clock: Clock
) -> None:
    for queue in ("a", "b", "c"):
        await ready_job(conn, queue=queue)
    await until_done(conn, 1)
    await conn.execute("delete from holdfast.jobs where queue in ('a', 'c')")
    await clock.advance(timedelta(minutes=1))
    await until_done(conn, 1)
    newest = {row["queue"]: row["ready"] for row in await samples(conn)}
    assert newest == {"a": 0, "b": 1, "c": 0}


async def test_a_lane_whose_jobs_are_gone_when_its_count_continues_does_no_harm(conn: Connection) -> None:
    await ready_jobs(conn, 4, queue="a")
    await ready_jobs(conn, 2, queue="b")
    await sample(conn, "0", 2)
    await conn.execute("delete from holdfast.jobs where queue = 'a'")
    await until_done(conn, 2)
    assert await counts(conn) == {"a": (0, 0, 2, 0), "b": (0, 0, 2, 0)}
