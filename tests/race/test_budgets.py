"""Budgets, fallbacks and limits under a storm: nothing is exceeded, no permit is lost, no deadlock."""

import asyncio
import random
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import Running, a_queue, a_worker, an_open_run, claim, ready_jobs, settle, to_json
from tests.race.crowd import Crowd, emptied, watched
from tests.race.test_endpoints import QUEUES, Caller, act_for_a_while, every_permit_comes_back
from tests.sql.endpoints.scene import an_endpoint
from tests.sql.limits.scene import a_task

BUDGET = 60
# Each attempt uses what was expected of it, so spent and running together never exceed the budget.
OVER_BUDGET = """
select v.spent, r.running
from holdfast.run_view as v
cross join lateral (
  select coalesce(sum(j.reserved), 0) as running
  from holdfast.jobs as j
  where j.run_id = v.id and j.state = 'running'
) as r
where v.spent + r.running > v.budget + 1e-6
"""
OVER_LIMIT = """
select queue, task, count(*) from holdfast.jobs
where state = 'running' and (queue = 'one' or task = 'heavy')
group by grouping sets (queue, task)
having queue = 'one' and count(*) > 4 or task = 'heavy' and count(*) > 5
"""
UNBLOCK = """
update holdfast.endpoints
set blocked_until = 0, rate = null, held_open = name = 'a' and not held_open
where name = $1
"""
RAISE = """
select holdfast.raise_budget(run_id, max_money + 3) from holdfast.run_budgets where run_id = $1
"""


@pytest.fixture
async def crowd(database_url: str) -> AsyncIterator[Crowd]:
    async with emptied(database_url) as crowd:
        yield crowd


async def test_a_budget_is_used_to_the_full_and_not_exceeded_by_many_at_once(crowd: Crowd) -> None:
    await an_endpoint(crowd.watcher, "paid", mode="fixed", max=100, price=0.5, estimate=2)
    run = await an_open_run(crowd.watcher, budget=BUDGET)
    await ready_jobs(crowd.watcher, 100, run=run, endpoint="paid")
    async with watched(lambda: look(crowd.watcher, OVER_BUDGET), every=0.02, least=5):
        await asyncio.gather(*[spend(await crowd.join(), random.Random(n)) for n in range(8)])
    row = await crowd.watcher.fetchrow("select spent, completed from holdfast.run_view")
    assert row is not None
    assert tuple(row) == (BUDGET, BUDGET)
    assert await crowd.watcher.fetchval("select count(*) from holdfast.jobs where waits_for = 'budget'") == 40


async def spend(conn: Connection, chance: random.Random) -> None:
    worker, held = await a_worker(conn), list[Running]()
    while held or await conn.fetchval("select exists (select from holdfast.jobs where state <> 'waiting')"):
        held += await claim(conn, worker, chance.randint(1, 4))
        while held and chance.random() < 0.8:
            await settle(conn, held.pop(), "complete", {"units": 2})


async def look(conn: Connection, violations: str) -> None:
    assert await conn.fetch(violations) == []
    await conn.execute("select holdfast.settle_limits()")
    # One by one: all at once they would be locked in another order than by name.
    for name in "ab":
        await conn.execute(UNBLOCK, name)


class Spender(Caller):
    """Enqueues limited and free tasks, in runs with a budget and without."""

    __slots__ = ("runs", "turn")
    runs: list[UUID]
    turn: asyncio.Lock

    async def enqueue(self) -> None:
        each = [
            {
                "endpoint": self.chance.choice(["a", "a", "b", ""]),
                "queue": self.chance.choice(QUEUES),
                "estimate": 1,
                **({"run": str(self.chance.choice(self.runs))} if self.chance.random() < 0.5 else {}),
            }
            for _ in range(15)
        ]
        await self.conn.fetch(
            "select holdfast.enqueue_jobs($1, $2::json[], $3, $4::jsonb[])",
            [self.chance.choice(["t", "heavy"]) for _ in each],
            ["{}"] * len(each),
            to_json({"retry": [0] * 5}),
            [to_json(one) for one in each],
        )

    async def raise_one(self) -> None:
        run = self.chance.choice(self.runs)
        async with self.turn:  # two that raise it to the same amount: the second would be refused
            await self.conn.execute(RAISE, run)

    async def sweep(self) -> None:
        await Caller.sweep(self)
        await self.raise_one()


@pytest.mark.slow
async def test_a_storm_over_limits_fallbacks_and_budgets_leaves_every_permit_a_running_job(
    crowd: Crowd,
) -> None:
    await a_queue(crowd.watcher, "one", max_concurrent=4)
    await a_task(crowd.watcher, "heavy", max_concurrent=5)
    await an_endpoint(crowd.watcher, "b", mode="fixed", max=6, trip_failures=1000, price=1)
    await an_endpoint(crowd.watcher, "a", mode="fixed", max=6, trip_failures=1000, price=1, fallback="b")
    runs = [await an_open_run(crowd.watcher, budget=3) for _ in range(2)]
    turn = asyncio.Lock()
    callers = [Spender(await crowd.join(), random.Random(n)) for n in range(6)]
    for caller in callers:
        caller.runs, caller.turn = runs, turn
        caller.worker = await a_worker(caller.conn, queues=QUEUES)
        await caller.enqueue()
    async with watched(lambda: look(crowd.watcher, OVER_LIMIT), every=0.02):
        await asyncio.gather(*(act_for_a_while(caller) for caller in callers))
    assert (await crowd.watcher.fetchval("select sum(starts) from holdfast.endpoints where name = 'b'")) > 20
    await every_permit_comes_back(crowd.watcher, callers)
