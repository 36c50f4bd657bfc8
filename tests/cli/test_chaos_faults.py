"""A fault says that it hit only if somebody was harmed: with nobody there, none does."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from holdfast.cli.chaos.arena import Arena
from holdfast.cli.chaos.faults import FAULTS
from holdfast.cli.chaos.proxy import Link
from holdfast.cli.crew import Crew
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import HoldfastError
from holdfast.model.payload import encode
from tests.builders import cancelled_job
from tests.proof.linked import linked


class Least(random.Random):
    """As short as a fault can be."""

    def random(self) -> float:
        return 0.0


@pytest.fixture
async def far(database_url: str) -> AsyncIterator[tuple[Link, Database]]:
    async with linked(database_url) as (link, url), Database(url) as database:
        yield link, database


@pytest.fixture
def place(db: Database, far: tuple[Link, Database], tmp_path: Path) -> Arena:
    """Behind the second link, a worker's."""
    crew = Crew((), {}, tmp_path)
    return Arena(EmbeddedServer(tmp_path / "unused"), db, [Link("nowhere"), far[0]], ["", ""], crew)


@asynccontextmanager
async def traffic(near: Database, far: Database) -> AsyncIterator[None]:
    """Jobs are stored from afar, and others end."""

    async def talk() -> None:
        while True:
            with suppress(HoldfastError):
                await enqueue_jobs(far, ["task"], [encode({})], {})
                async with near.connection() as conn:
                    await cancelled_job(conn)

    task = asyncio.create_task(talk())
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    "fault",
    ["slow-network", "lost-reply", "lock-table", pytest.param("long-transaction", marks=pytest.mark.slow)],
)
async def test_a_fault_hits_only_if_somebody_is_harmed(
    place: Arena, far: tuple[Link, Database], fault: str
) -> None:
    place.links = [far[0]]
    strike = FAULTS[fault].strike
    assert not await strike(place, Least())
    async with traffic(place.database, far[1]):
        assert await strike(place, Least())


async def test_nobody_is_told_of_a_half_open_connection_until_all_is_healed(
    place: Arena, far: tuple[Link, Database]
) -> None:
    link, database = far
    async with database.connection() as conn:
        chooses_worker = next(seed for seed in range(100) if random.Random(seed).choice((0, 1)) == 1)
        assert await FAULTS["half-open"].strike(place, random.Random(chooses_worker))
        with pytest.raises(TimeoutError):
            await conn.fetchval("select 1", timeout=0.2)
        assert link.connections > 0
        place.heal()
        assert link.connections == 0
