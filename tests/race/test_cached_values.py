"""Many attempts want one cached value at once: exactly one computes it."""

import asyncio
from datetime import timedelta

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, claim, complete, ready_jobs
from tests.race.crowd import Crowd

CALLERS = 20
WAIT = timedelta(minutes=5)
TAKE = "select * from holdfast.take_cached_value($1, $2, 's', 'k', $3)"
SAVE = "select holdfast.save_cached_value($1, $2, 's', 'k', $3, $4, '1 hour')"


async def running(conn: Connection, count: int) -> list[Running]:
    await ready_jobs(conn, count)
    return await claim(conn, await a_worker(conn), count)


async def take(conn: Connection, job: Running) -> Record:
    row = await conn.fetchrow(TAKE, job.id, job.token, WAIT)
    assert row is not None
    return row


async def test_of_many_callers_at_once_exactly_one_computes(crowd: Crowd) -> None:
    await crowd.watcher.execute("delete from holdfast.cached_values")
    jobs = await running(crowd.watcher, CALLERS)
    conns = [await crowd.join() for _ in jobs]
    for turn in range(10):
        taken = await asyncio.gather(*map(take, conns, jobs))
        computing = [(n, row) for n, row in enumerate(taken) if row["result"] == "compute"]
        assert [row["result"] for row in taken].count("wait") == CALLERS - 1
        ((n, row),) = computing
        saving = (jobs[n].id, jobs[n].token, row["writer"], str(turn))
        assert await crowd.watcher.fetchval(SAVE, *saving)
        assert {row["value"] for row in await asyncio.gather(*map(take, conns, jobs))} == {str(turn)}
        await crowd.watcher.execute("update holdfast.cached_values set expires_at = holdfast.now()")


async def test_a_caller_that_finds_no_row_yet_waits_for_the_one_who_takes_the_key(crowd: Crowd) -> None:
    await crowd.watcher.execute("delete from holdfast.cached_values")
    first, second = await running(crowd.watcher, 2)
    for commit in (False, True):
        mine, theirs = await crowd.interleave(
            lambda conn: take(conn, first), lambda conn: take(conn, second), commit=commit
        )
        assert mine["result"] == "compute"
        # Undone, the first has no key. In the second turn the second caller still has it.
        if not commit:
            assert theirs["result"] == "compute"
            await crowd.watcher.execute("delete from holdfast.cached_values")
        else:
            assert theirs["result"] == "wait"


async def test_of_many_who_wait_exactly_one_takes_over_from_an_attempt_that_ended(crowd: Crowd) -> None:
    await crowd.watcher.execute("delete from holdfast.cached_values")
    ended, *jobs = await running(crowd.watcher, CALLERS)
    await take(crowd.watcher, ended)
    assert await complete(crowd.watcher, ended)
    conns = [await crowd.join() for _ in jobs]
    taken = await asyncio.gather(*map(take, conns, jobs))
    assert sorted(row["result"] for row in taken) == ["compute"] + ["wait"] * (len(jobs) - 1)
