"""Requests per minute: ten workers on connections of their own, while the clock moves under them."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock, install_fake_clock
from tests.builders import Running, claim, complete, fail
from tests.race.crowd import Crowd, emptied
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, calls

BUDGET = 600
WORKERS = 10
MINUTES = 4
STARTS = """
select extract(epoch from started_at)::double precision as at from (
  select started_at from holdfast.history union all select started_at from holdfast.attempts
) as ended order by at
"""


@pytest.fixture
async def ticking(database_url: str) -> AsyncIterator[tuple[Crowd, FakeClock]]:
    """A database of its own: a fake clock is seen by everybody in it."""
    async with emptied(database_url) as crowd:
        yield crowd, await install_fake_clock(await crowd.join())


@pytest.mark.slow
async def test_in_every_sliding_minute_exactly_the_budget_is_started(
    ticking: tuple[Crowd, FakeClock],
) -> None:
    crowd, clock = ticking
    await a_fixed_endpoint(crowd.watcher, 200, requests_per_minute=BUDGET, trip_failures=1000)
    await calls(crowd.watcher, BUDGET * (MINUTES + 1))
    begin, chance = (await clock.now()).timestamp(), random.Random(1)
    workers = [(conn := await crowd.join(), await a_caller(conn)) for _ in range(WORKERS)]
    now = begin
    while now < begin + 60 * MINUTES:
        moved = clock.advance(f"{chance.randint(1, 2000)}ms")
        turns = (turn(*worker, random.Random(chance.random())) for worker in workers)
        await asyncio.gather(moved, *turns)
        now = (await clock.now()).timestamp()
    starts = [row["at"] for row in await crowd.watcher.fetch(STARTS)]
    assert busiest_minute(starts) == BUDGET, "neither more than allowed nor less than possible"
    full = Counter(int(at - begin) // 60 for at in starts)
    assert all(full[minute] >= 0.95 * BUDGET for minute in range(MINUTES)), full


async def turn(conn: Connection, worker: UUID, chance: random.Random) -> None:
    """Starts what it may and ends it at once, well or not: a start is a start."""
    for job in await claim(conn, worker, chance.randint(1, 20)):
        await end(conn, job, chance)


async def end(conn: Connection, job: Running, chance: random.Random) -> None:
    await (complete(conn, job) if chance.random() < 0.9 else fail(conn, job))


def busiest_minute(starts: list[float]) -> int:
    """The most starts in any half-open minute; times are exact to a microsecond."""
    most, first = 0, 0
    for last, at in enumerate(starts):
        while at - starts[first] > 60 - 1e-5:
            first += 1
        most = max(most, last - first + 1)
    return most


@pytest.mark.parametrize(
    ("starts", "most"), [([0.0, 1.0, 59.9, 60.0], 3), ([0.0, 60.0, 120.0], 1), ([5.0] * 4, 4)]
)
def test_the_busiest_minute_is_found_wherever_it_begins(starts: list[float], most: int) -> None:
    assert busiest_minute(starts) == most
