"""Each invariant is planted and found: a checker that cannot fail is worth nothing."""

from datetime import timedelta
from pathlib import Path

import pytest

from holdfast.db.connect import Connection
from holdfast.db.invariants import check_invariants
from holdfast.model.state import TRANSITIONS, State
from tests.builders import a_sealed_run, dead_job, expire_worker, rescue, running_job, settle, waiting_job
from tests.proof.plants import PLANTS, Plant, failed_job, trail
from tests.repo.tree import ROOT

FILES = ROOT / "src" / "holdfast" / "sql" / "invariant"


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
async def test_a_planted_violation_is_found(conn: Connection, plant: Plant) -> None:
    assert await found(conn) == set()
    await plant(conn)
    assert plant.__name__ in await found(conn)


def test_every_invariant_has_a_plant() -> None:
    assert names_in(FILES) == {plant.__name__ for plant in PLANTS}


async def test_the_trail_may_tell_of_the_legal_transitions_and_of_no_other(conn: Connection) -> None:
    for source in State:
        for target in set(State) - {source}:
            await trail(conn, source, target)
            assert ("illegal_transition" in await found(conn)) == (target not in TRANSITIONS[source])
            await conn.execute("delete from holdfast.events")


async def test_an_honest_day_violates_nothing(conn: Connection) -> None:
    """Failures, losses, deaths, stages, runs, order and keys, all by the verbs."""
    await failed_job(conn, unique_key="once", order_key="line")
    await dead_job(conn, queue="deaths")
    await a_sealed_run(conn, jobs=3)
    await waiting_job(conn, queue="lines")
    lost = await running_job(conn, queue="losses")
    await expire_worker(conn, lost.worker)
    assert (await rescue(conn))["recovered"] == 1
    staged = await running_job(conn, queue="stages")
    assert await settle(conn, staged, "advance", {"stage": "next", "queue": "stages"}, output=1)
    assert await found(conn) == set()


async def found(conn: Connection) -> set[str]:
    return {one.name for one in await check_invariants(conn, 1000, timedelta(seconds=0.5))}


def names_in(folder: Path) -> set[str]:
    """The names that the SQL files give to violations: quoted, first in a select."""
    return {
        line.split("'")[1]
        for file in folder.glob("*.sql")
        for line in file.read_text().splitlines()
        if line.strip().startswith("select '")
    }
