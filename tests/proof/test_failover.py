"""The primary is killed, the replica promoted: workers follow, and what replication promises holds."""

from collections.abc import Callable
from uuid import UUID

import pytest

from holdfast.db.invariants import check_invariants
from tests.builders import a_worker, claim_one, complete, expire_worker
from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World, world
from tests.proof.replica import pair, reconnected

pytestmark = [pytest.mark.alone, pytest.mark.slow]

Start = Callable[..., WorkerProcess]
COUNT = 100


async def test_a_synchronous_failover_loses_nothing_and_workers_follow(start: Start) -> None:
    async with pair() as servers:
        await servers.make_synchronous()
        async with world(servers.url) as before:
            ids = await before.enqueue("book", *({"n": n} for n in range(COUNT)))
            ids += await before.enqueue("nap", *({"seconds": 0.1} for _ in range(COUNT)))
            for _ in range(2):
                start(servers.url, slots=4, lease=3)
            await until(before.has_calls(COUNT // 2))
            ids += await before.enqueue("plain", *({"n": n} for n in range(COUNT)))
            await servers.fail_over()
        conn = await reconnected(servers.url)
        after = World(conn)
        await until(after.reaches(completed=len(ids)))
        assert await lost(after, ids) == []
        assert await after.violations() == {}
        assert await check_invariants(conn) == []
        await conn.close()


async def test_an_asynchronous_failover_loses_the_last_commits_counted_and_refuses_their_tokens(
    start: Start,
) -> None:
    async with pair() as servers:
        async with world(servers.url) as before:
            kept = await before.enqueue("plain", *({"n": n} for n in range(COUNT)))
            await servers.cut()
            gone = await before.enqueue("plain", *({"n": n} for n in range(10)))
            worker = await a_worker(before.conn)
            stale = await claim_one(before.conn, worker)
            await servers.fail_over()
        conn = await reconnected(servers.url)
        after = World(conn)
        assert stale.id in kept
        missing = await lost(after, kept + gone)
        print(f"asynchronous failover: {len(missing)} of {len(kept + gone)} accepted jobs lost")
        assert missing == gone
        assert not await complete(conn, stale), "the claim was lost, so its token counts for nothing"
        start(servers.url, slots=4, lease=3)
        await until(after.reaches(completed=COUNT))
        assert not await complete(conn, stale)
        assert await check_invariants(conn) == []
        await conn.close()


async def test_a_token_from_before_a_synchronous_failover_is_refused_once_its_job_was_rescued(
    start: Start,
) -> None:
    async with pair() as servers:
        await servers.make_synchronous()
        async with world(servers.url) as before:
            (job,) = await before.enqueue("plain", {"n": 1})
            worker = await a_worker(before.conn)
            stale = await claim_one(before.conn, worker)
            await servers.fail_over()
        conn = await reconnected(servers.url)
        await expire_worker(conn, worker)
        start(servers.url, lease=3)
        await until(World(conn).reaches(completed=1))
        assert not await complete(conn, stale)
        assert (await World(conn).job(job))["losses"] == 1
        await conn.close()


async def lost(world_: World, ids: list[UUID]) -> list[UUID]:
    there = {row["id"] for row in await world_.conn.fetch("select id from holdfast.job_view")}
    return [job for job in ids if job not in there]
