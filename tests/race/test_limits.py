"""Limits of queues and tasks hold at every instant, however many claim at once."""

import asyncio
import random
from bisect import bisect_right
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import Running, a_queue, a_worker, claim, complete, fail, ready_jobs, rescue
from tests.race.crowd import Crowd, emptied, watched
from tests.sql.limits.scene import a_task
from tests.worker.working import until

QUEUES = ["one", "two"]
OVER = """
select queue, task, count(*) from holdfast.jobs
where state = 'running' and (queue = 'one' or task = 'heavy')
group by grouping sets (queue, task)
having queue = 'one' and count(*) > 4 or task = 'heavy' and count(*) > 3
"""
ENDED = "select count(*) from holdfast.history"
INTERVALS = "select started_at, ended_at from holdfast.history where queue = $1 or task = $2"


@pytest.fixture
async def crowd(database_url: str) -> AsyncIterator[Crowd]:
    async with emptied(database_url) as crowd:
        yield crowd


@pytest.mark.slow
async def test_no_limit_is_exceeded_at_any_instant(crowd: Crowd) -> None:
    await a_queue(crowd.watcher, "one", max_concurrent=4)
    await a_task(crowd.watcher, "heavy", max_concurrent=3)
    for queue in QUEUES:
        await ready_jobs(crowd.watcher, 150, queue=queue, task="light", retry=[0] * 20)
        await ready_jobs(crowd.watcher, 150, queue=queue, task="heavy", retry=[0] * 20)
    async with watched(lambda: look(crowd.watcher), every=0.01):
        ended = await asyncio.gather(*[work(await crowd.join(), random.Random(n), 0.1) for n in range(10)])
    assert sum(ended) == 600
    assert most_at_once(await crowd.watcher.fetch(INTERVALS, "one", None)) == 4, "not more, nor left unused"
    assert most_at_once(await crowd.watcher.fetch(INTERVALS, None, "heavy")) == 3, "not more, nor left unused"


async def look(conn: Connection) -> None:
    """In every snapshot the rows are within the limits; it also sweeps, as workers do."""
    assert await conn.fetch(OVER) == []
    await rescue(conn)
    await conn.execute("select holdfast.settle_limits()")


async def work(conn: Connection, chance: random.Random, trouble: float = 0.0) -> int:
    """Until nothing is left: claims some, ends some; in trouble it fails some, and vanishes with others."""
    worker, held, ended = await a_worker(conn, QUEUES), list[Running](), 0
    while held or await conn.fetchval("select exists (select from holdfast.jobs)"):
        held += await claim(conn, worker, chance.randint(1, 5))
        chance.shuffle(held)
        while held and chance.random() < 0.7:
            job = held.pop()
            if chance.random() < trouble:
                await fail(conn, job)
            else:
                ended += await complete(conn, job)
        if chance.random() < trouble / 10:
            await vanish(conn, worker)
            worker, held = await a_worker(conn, QUEUES), []
    return ended


async def vanish(conn: Connection, worker: UUID) -> None:
    await conn.execute(
        "update holdfast.workers set lease_until = holdfast.now() - interval '1 s' where id = $1", worker
    )


def most_at_once(intervals: list[Record]) -> int:
    """An end at the instant of a start comes first: the start was counted after it."""
    turns = sorted([(start, 1) for start, _ in intervals] + [(end, -1) for _, end in intervals])
    most = now = 0
    for _, change in turns:
        now += change
        most = max(most, now)
    return most


async def test_a_rate_holds_in_every_sliding_period_with_ten_that_claim_at_once(crowd: Crowd) -> None:
    await a_queue(crowd.watcher, "one", rate="20/1s")
    await ready_jobs(crowd.watcher, 80, queue="one", retry=[0] * 20)
    await asyncio.gather(*[work(await crowd.join(), random.Random(n)) for n in range(10)])
    rows = await crowd.watcher.fetch("select started_at from holdfast.history order by 1")
    starts = [row["started_at"].timestamp() for row in rows]
    most = max(bisect_right(starts, at + 1 - 1e-5) - i for i, at in enumerate(starts))
    assert (len(starts), most) == (80, 20), "not more, and not less either"


async def test_a_claim_passes_a_limit_that_somebody_holds_and_asks_again_soon(crowd: Crowd) -> None:
    await a_queue(crowd.watcher, "one", max_concurrent=5)
    await ready_jobs(crowd.watcher, 4, queue="one")
    workers = [await a_worker(crowd.watcher, QUEUES) for _ in range(2)]
    turn = "select kind, due_in from holdfast.settle_and_claim($1, 1, '{}', '{}', '{}', '{}', '{}')"
    first, second = await crowd.interleave(
        lambda conn: conn.fetch(turn, workers[0]), lambda conn: conn.fetch(turn, workers[1]), commit=True
    )
    assert [row["kind"] for row in first] == ["job"]
    assert [(row["kind"], row["due_in"].total_seconds()) for row in second] == [("next", 0.02)]


async def test_a_limit_changed_while_all_claim_is_never_exceeded_by_later_starts(crowd: Crowd) -> None:
    await ready_jobs(crowd.watcher, 400, queue="one", retry=[0] * 20)
    working = [asyncio.create_task(work(await crowd.join(), random.Random(n))) for n in range(6)]
    for most in (8, 3, 5, 2):
        await more_end(crowd.watcher, 30)
        await a_queue(crowd.watcher, "one", max_concurrent=most)
        await crowd.watcher.execute("select holdfast.settle_limits()")
    last = await crowd.watcher.fetchval("select clock_timestamp()")
    await asyncio.gather(*working)
    later = await crowd.watcher.fetch(
        "select a.started_at from holdfast.history as a where a.started_at > $1 and ("
        "  select count(*) from holdfast.history as b"
        "  where b.started_at <= a.started_at and b.ended_at > a.started_at) > 2",
        last,
    )
    assert later == []
    starts = "select count(*) from holdfast.history where started_at > $1"
    assert await crowd.watcher.fetchval(starts, last) > 100, "hardly any started under the last limit"


async def more_end(conn: Connection, count: int) -> None:
    before = await conn.fetchval(ENDED)

    async def have_ended() -> bool:
        return bool(await conn.fetchval(ENDED) >= before + count)

    await until(have_ended)
