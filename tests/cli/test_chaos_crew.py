"""Workers that leave by themselves under chaos: replaced, and wrong unless they had found no database."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from holdfast.cli.chaos.arena import Arena
from holdfast.cli.crew import Crew
from holdfast.db.connect import Database
from holdfast.embedded import EmbeddedServer
from tests.builders import a_worker, renew

NO_DATABASE, A_DEFECT = 3, 1


@pytest.fixture
async def crew(tmp_path: Path) -> AsyncIterator[Crew]:
    """Its workers leave at once: they do not know that option."""
    async with Crew(("--no-such-option",), {}, tmp_path) as made:
        yield made


@pytest.fixture
def place(db: Database, crew: Crew, tmp_path: Path) -> Arena:
    return Arena(EmbeddedServer(tmp_path / "unused"), db, [], ["postgresql://nowhere"], crew)


async def test_a_worker_that_left_by_itself_is_replaced_and_told_of(place: Arena) -> None:
    left = place.start_worker(0)
    async with asyncio.timeout(30):
        while not place.departed:
            await asyncio.sleep(0.05)
            place.replace_departed()
    assert left not in place.crew.pids
    assert len(place.crew.pids) == 1
    assert await place.deserters() == [f"worker {left} left by itself with exit code 2"]


@pytest.mark.parametrize(
    ("code", "had_begun", "is_wrong"),
    [(NO_DATABASE, False, False), (NO_DATABASE, True, True), (A_DEFECT, False, True)],
)
async def test_only_a_worker_that_found_no_database_at_its_start_may_leave(
    place: Arena, code: int, had_begun: bool, is_wrong: bool
) -> None:
    async with place.database.connection() as conn:
        worker = await a_worker(conn, pid=7, lease=timedelta(seconds=2))
        if had_begun:
            await renew(conn, worker)
    place.departed[7] = code
    assert bool(await place.deserters()) == is_wrong
