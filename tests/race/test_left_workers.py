"""A worker that left is counted once, whoever deletes its row and however often that is undone."""

import asyncio

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, expire_worker
from tests.patience import PATIENCE
from tests.race.crowd import Crowd

LEFT = "select coalesce(sum(workers), 0)::integer from holdfast.left_workers('1 day')"
LOST = 6


async def forget(conn: Connection) -> int:
    return int(await conn.fetchval("select holdfast.forget_workers('0')"))


async def lost_workers(conn: Connection) -> None:
    for i in range(LOST):
        await expire_worker(conn, await a_worker(conn, group=f"group {i % 2}"))


@pytest.mark.parametrize("commit", [True, False])
async def test_two_that_forget_at_once_count_each_worker_once(crowd: Crowd, commit: bool) -> None:
    await lost_workers(crowd.watcher)
    first, second = await crowd.interleave(forget, forget, commit=commit)
    assert (first, second) == (LOST, 0)
    assert await crowd.watcher.fetchval(LEFT) == LOST
    assert await forget(crowd.watcher) == (0 if commit else LOST)
    assert await crowd.watcher.fetchval(LEFT) == LOST


async def test_a_reader_sees_each_worker_once_while_another_forgets_it(crowd: Crowd) -> None:
    await lost_workers(crowd.watcher)
    other = await crowd.join()
    async with other.transaction():
        assert await forget(other) == LOST
        assert await crowd.watcher.fetchval(LEFT) == LOST
        assert await other.fetchval(LEFT) == LOST
    assert await crowd.watcher.fetchval(LEFT) == LOST


async def test_many_that_add_to_the_same_hour_do_not_deadlock(crowd: Crowd) -> None:
    conns = [await crowd.join() for _ in range(4)]

    async def come_and_go(conn: Connection) -> None:
        for _ in range(5):
            await lost_workers(conn)
            await forget(conn)

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*map(come_and_go, conns))
    await forget(crowd.watcher)
    assert await crowd.watcher.fetchval(LEFT) == len(conns) * 5 * LOST
    assert await crowd.watcher.fetchval("select count(*) from holdfast.workers") == 0
