"""Runs at once: the last two children, and a seal beside an enqueue."""

import asyncio

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import a_sealed_run, a_worker, an_open_run, claim, complete, ready_job, the_run
from tests.race.crowd import Crowd

AFTER = {"task": "after", "queue": "after"}


async def close(conn: Connection) -> int:
    ended: int = await conn.fetchval("select holdfast.close_runs()")
    return ended


async def followers(conn: Connection) -> int:
    count: int = await conn.fetchval("select count(*) from holdfast.job_view where task = 'after'")
    return count


@pytest.mark.parametrize("commit", [True, False])
async def test_the_last_two_children_ending_at_once_end_the_run_once(crowd: Crowd, commit: bool) -> None:
    run, _ = await a_sealed_run(crowd.watcher, jobs=2, on_complete=AFTER)
    one, other = await claim(crowd.watcher, await a_worker(crowd.watcher), 2)

    await crowd.interleave(
        lambda conn: complete(conn, one), lambda conn: complete(conn, other), commit=commit
    )
    closers = [await crowd.join() for _ in range(4)]
    assert sum(await asyncio.gather(*map(close, closers))) == commit
    if not commit:
        assert await complete(crowd.watcher, one)
        assert await close(crowd.watcher) == 1
    assert (await the_run(crowd.watcher, run))["completed"] == 2
    assert await followers(crowd.watcher) == 1
    assert await close(crowd.watcher) == 0


async def test_a_run_is_closed_once_by_two_closers(crowd: Crowd) -> None:
    await a_sealed_run(crowd.watcher, jobs=1, on_complete=AFTER)
    (job,) = await claim(crowd.watcher, await a_worker(crowd.watcher), 1)
    assert await complete(crowd.watcher, job)
    assert sum(await crowd.interleave(close, close, commit=True)) == 1
    assert await followers(crowd.watcher) == 1


async def test_a_locked_run_with_very_many_changes_keeps_no_other_from_ending(crowd: Crowd) -> None:
    busy = await an_open_run(crowd.watcher)
    many = "insert into holdfast.run_deltas (run_id) select $1 from generate_series(1, 20000)"
    await crowd.watcher.execute(many, busy)
    await a_sealed_run(crowd.watcher, jobs=1)
    (job,) = await claim(crowd.watcher, await a_worker(crowd.watcher), 1)
    assert await complete(crowd.watcher, job)
    producer = await crowd.join()
    async with producer.transaction():
        await ready_job(producer, run=busy)
        assert await close(crowd.watcher) == 1


async def test_a_seal_waits_for_a_producer_that_is_adding(crowd: Crowd) -> None:
    run = await an_open_run(crowd.watcher, on_complete=AFTER)

    async def add(conn: Connection) -> bool:
        return bool(await ready_job(conn, run=run))

    async def seal(conn: Connection) -> bool:
        return bool(await conn.fetchval("select holdfast.seal_run($1)", run))

    _, has_ended = await crowd.interleave(add, seal, commit=True)
    assert not has_ended
    assert (await the_run(crowd.watcher, run))["total"] == 1
    assert await followers(crowd.watcher) == 0


async def test_an_enqueue_that_comes_beside_a_seal_is_refused_or_counted(crowd: Crowd) -> None:
    run = await an_open_run(crowd.watcher)

    async def seal(conn: Connection) -> str:
        return str(await conn.fetchval("select holdfast.seal_run($1)", run))

    async def add(conn: Connection) -> str:
        try:
            await ready_job(conn, run=run)
        except asyncpg.PostgresError as refused:
            return str(refused.sqlstate)
        return "added"

    assert await crowd.interleave(seal, add, commit=True) == ("True", "HF005")
    other = run = await an_open_run(crowd.watcher)
    assert await crowd.interleave(seal, add, commit=False) == ("True", "added")
    assert (await the_run(crowd.watcher, other))["total"] == 1
