"""Everything at once for a few seconds: no error, no deadlock, and afterwards every job has one end."""

import asyncio
import random
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, an_open_run, claim, complete, rescue
from tests.machine.invariants import violations
from tests.race.crowd import Crowd
from tests.race.storm import QUEUE, Actor, Ledger

ACTORS = 8
SECONDS = 5


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
async def test_after_a_storm_every_job_has_exactly_one_end(crowd: Crowd, seed: int) -> None:
    ledger = Ledger(runs=[await an_open_run(crowd.watcher, on_complete={"task": "after"}) for _ in range(4)])
    actors = [Actor(await crowd.join(), ledger, random.Random(seed * 100 + n)) for n in range(ACTORS)]
    for actor in actors:
        await actor.register()
    await asyncio.gather(*(act_for_a_while(actor) for actor in actors))
    assert not await violations(crowd.watcher)

    await drain(crowd.watcher)
    ended = await crowd.watcher.fetch("select id from holdfast.history where task = 't'")
    assert sorted(row["id"] for row in ended) == sorted(ledger.accepted)
    assert not await violations(crowd.watcher)
    assert not await crowd.watcher.fetch("select from holdfast.jobs where task = 't'")
    assert not await crowd.watcher.fetch("select from holdfast.order_keys")
    assert len(ended) > 100, "hardly anything happened"


async def act_for_a_while(actor: Actor) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + SECONDS
    while loop.time() < until:
        await actor.step()


async def drain(conn: Connection) -> None:
    """All workers are gone; one comes that ends what is left."""
    await conn.execute("update holdfast.workers set lease_until = holdfast.now() - interval '1 s'")
    await rescue(conn)
    worker = await a_worker(conn, queues=[QUEUE])
    while jobs := await next_jobs(conn, worker):
        for job in jobs:
            assert await complete(conn, job)


async def next_jobs(conn: Connection, worker: UUID) -> list[Running]:
    await conn.execute("select holdfast.advance_order_keys()")
    return await claim(conn, worker, 100)
