"""Permits under a storm, and who waits for whom: jobs first, then endpoints by name, then nobody waits."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, cancel, claim, complete, fail, rescue, to_json
from tests.race.crowd import Crowd, watched
from tests.race.storm import ENDS
from tests.sql.endpoints.scene import an_endpoint, assert_balanced, calls

ENDPOINTS = ["a", "b", "c", ""]
QUEUES = ["one", "two", "three"]
ACTORS = 6
SECONDS = 5
HELD = """
select count(*) filter (where e.in_flight > floor(e.max_limit)) from holdfast.endpoints as e
"""
HOT = """
select n_tup_upd, n_tup_hot_upd
from pg_stat_user_tables
where schemaname = 'holdfast' and relname = 'endpoints'
"""


OTHERS = """
select count(*)
from pg_stat_activity
where pid <> pg_backend_pid() and (backend_xid is not null or backend_xmin is not null)
"""


@dataclass(slots=True)
class Caller:
    """A worker of all queues that also sweeps, cancels and vanishes."""

    conn: Connection
    chance: random.Random
    worker: UUID = field(default_factory=uuid4)
    held: list[Running] = field(default_factory=list)
    ended: int = 0

    async def step(self) -> None:
        deeds: list[Callable[[], Awaitable[object]]] = [self.work] * 12
        await self.chance.choice([*deeds, self.enqueue, self.enqueue, self.sweep, self.cancel, self.vanish])()

    async def enqueue(self) -> None:
        each = [
            to_json({"endpoint": self.chance.choice(ENDPOINTS), "queue": self.chance.choice(QUEUES)})
            for _ in range(15)
        ]
        await self.conn.fetch(
            "select holdfast.enqueue_jobs(array['t'], $1::json[], $2, $3::jsonb[])",
            ["{}"] * len(each),
            to_json({"retry": [0] * 5}),
            each,
        )

    async def work(self) -> None:
        """Ends most of what it holds, in one call with the next claim."""
        self.chance.shuffle(self.held)
        ending, self.held = self.held[:8], self.held[8:]
        ends = [self.an_end() for _ in ending]
        rows = await self.conn.fetch(
            "select * from holdfast.settle_and_claim($1, 8, $2, $3, $4, $5, $6)",
            *(self.worker, [job.id for job in ending], [job.token for job in ending]),
            *([verb for verb, _ in ends], [None] * len(ends), [to_json(detail) for _, detail in ends]),
        )
        self.ended += len(ending)
        if any(row["kind"] == "lapsed" for row in rows):
            await self.come_back()
        self.held += [
            Running(row["job_id"], row["token"], self.worker, row["attempt"])
            for row in rows
            if row["kind"] == "job"
        ]

    def an_end(self) -> tuple[str, dict[str, object]]:
        verb, detail = self.chance.choice(ENDS)
        if verb == "advance":
            return verb, {
                "stage": "s",
                "queue": self.chance.choice(QUEUES),
                "endpoint": self.chance.choice("abc"),
            }
        return verb, detail

    async def sweep(self) -> None:
        await rescue(self.conn)
        await self.conn.execute("select holdfast.prune_endpoints()")

    async def cancel(self) -> None:
        if self.held:
            await cancel(self.conn, self.chance.choice(self.held).id)

    async def vanish(self) -> None:
        await self.conn.execute(
            "update holdfast.workers set lease_until = holdfast.now() - interval '1 s' where id = $1",
            self.worker,
        )

    async def come_back(self) -> None:
        self.held = []
        self.worker = await a_worker(self.conn, queues=QUEUES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
async def test_after_a_storm_every_permit_is_a_running_job(crowded: Crowd, seed: int) -> None:
    for name in "abc":
        await an_endpoint(crowded.watcher, name, mode="fixed", max=6, trip_failures=1000)
    callers = [Caller(await crowded.join(), random.Random(seed * 10 + n)) for n in range(ACTORS)]
    for caller in callers:
        caller.worker = await a_worker(caller.conn, queues=QUEUES)
        await caller.enqueue()
    async with watched(lambda: look(crowded.watcher), every=0.02):
        await asyncio.gather(*(act_for_a_while(caller) for caller in callers))
    await every_permit_comes_back(crowded.watcher, callers)


async def every_permit_comes_back(conn: Connection, callers: Sequence[Caller]) -> None:
    await assert_balanced(conn)
    assert sum(caller.ended for caller in callers) > 200, "hardly anything happened"
    await conn.execute("update holdfast.workers set lease_until = holdfast.now() - interval '1 s'")
    await rescue(conn)
    assert await conn.fetchval("select sum(in_flight) from holdfast.endpoints") == 0


async def act_for_a_while(caller: Caller) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + SECONDS
    while loop.time() < until:
        await caller.step()


async def look(conn: Connection) -> None:
    """In every snapshot the counters are the rows, and no limit is exceeded."""
    await assert_balanced(conn)
    assert await conn.fetchval(HELD) == 0
    # Failures in a row block for seconds: this storm is about permits.
    await conn.execute("update holdfast.endpoints set blocked_until = 0 where blocked_until > 0")


async def test_requests_per_minute_hold_when_all_start_at_once(crowded: Crowd) -> None:
    await an_endpoint(crowded.watcher, mode="fixed", max=1000, requests_per_minute=50)
    await calls(crowded.watcher, 200)
    started = await asyncio.gather(*[start_all_it_can(await crowded.join()) for _ in range(4)])
    assert sum(started) == 50
    assert len([count for count in started if count]) > 1, "only one of them came to start any"


async def start_all_it_can(conn: Connection) -> int:
    """Until three times in a row nothing may start."""
    worker, count, refusals = await a_worker(conn), 0, 0
    while refusals < 3:
        jobs = await claim(conn, worker, 2)
        count += len(jobs)
        refusals = 0 if jobs else refusals + 1
        await asyncio.sleep(0.02)
    return count


async def test_updates_of_an_endpoint_are_hot(crowded: Crowd) -> None:
    """All of them, while no other transaction is open: one, in any database, keeps old versions."""
    conn = await crowded.join()
    await an_endpoint(conn, mode="fixed", max=5)
    worker = await a_worker(conn)
    seen = [await share_of_hot_updates(conn, worker) for _ in range(5)]
    assert all(share == 1.0 for share, others in seen if others == 0), seen
    assert min(share for share, _ in seen) > 0.85, seen


async def share_of_hot_updates(conn: Connection, worker: UUID) -> tuple[float, int]:
    """And how many transactions of others were seen meanwhile."""
    before, others = await hot(conn), 0
    for _ in range(50):
        await calls(conn, 2)
        for job in await claim(conn, worker, 2):
            assert await complete(conn, job)
        others += await conn.fetchval(OTHERS)
    after = await hot(conn)
    assert after[0] - before[0] >= 100
    return (after[1] - before[1]) / (after[0] - before[0]), others


async def hot(conn: Connection) -> tuple[int, int]:
    if conn.get_server_version().major < 15:
        pytest.skip("before PostgreSQL 15 no session can flush its statistics, so updates cannot be counted")
    await conn.execute("select pg_stat_force_next_flush()")
    await conn.execute("select pg_stat_clear_snapshot()")
    row = await conn.fetchrow(HOT)
    assert row is not None
    return row["n_tup_upd"], row["n_tup_hot_upd"]


async def test_a_claim_passes_an_endpoint_that_somebody_holds(crowded: Crowd) -> None:
    await an_endpoint(crowded.watcher)
    await calls(crowded.watcher, 2)
    workers = [await a_worker(crowded.watcher) for _ in range(2)]
    first, second = await crowded.interleave(
        lambda conn: claim(conn, workers[0]), lambda conn: claim(conn, workers[1]), commit=True
    )
    assert (len(first), second) == (1, []), "it neither waited nor started a call too many"


async def test_a_producer_that_names_a_new_lane_does_not_hold_the_endpoint(crowded: Crowd) -> None:
    """Its transaction may be long, and every end of a call would wait for it."""
    await an_endpoint(crowded.watcher)
    await calls(crowded.watcher, 1)
    worker = await a_worker(crowded.watcher)
    (job,) = await claim(crowded.watcher, worker)
    holder = await crowded.join()
    transaction = holder.transaction()
    await transaction.start()
    await calls(holder, 1, queue=f"new {uuid4()}")
    await crowded.watcher.execute("set lock_timeout = '1s'")
    assert await complete(crowded.watcher, job), "it did not wait"
    await transaction.rollback()


async def test_a_rescue_leaves_a_job_whose_endpoint_is_held_for_the_next_sweep(crowded: Crowd) -> None:
    await an_endpoint(crowded.watcher, mode="fixed", max=5)
    await calls(crowded.watcher, 2)
    lost, other = await a_worker(crowded.watcher), await a_worker(crowded.watcher)
    (taken,) = await claim(crowded.watcher, lost)
    (theirs,) = await claim(crowded.watcher, other)
    await crowded.watcher.execute(
        "update holdfast.workers set lease_until = holdfast.now() where id = $1", lost
    )
    holder = await crowded.join()
    transaction = holder.transaction()
    await transaction.start()
    assert await fail(holder, theirs)
    assert (await rescue(crowded.watcher))["recovered"] == 0
    await transaction.commit()
    assert (await rescue(crowded.watcher))["recovered"] == 1
    assert not await complete(crowded.watcher, taken)
    await assert_balanced(crowded.watcher)
