"""The nemesis: what it writes down was done, what could not be done is told, and some faults overlap."""

import asyncio
import random
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from holdfast.cli.chaos.arena import Arena
from holdfast.cli.chaos.faults import FAULTS
from holdfast.cli.chaos.faults.fault import Fault, Place, Strike
from holdfast.cli.chaos.nemesis import AGAIN, harm
from holdfast.cli.chaos.plan import Plan, Step, make_plan
from holdfast.cli.crew import Crew
from holdfast.db.connect import Database
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import HoldfastError
from tests.patience import PATIENCE

A_PLAN = Plan(1, timedelta(0), ["quick"], 2, [Step(0, "quick", 1)])


@pytest.fixture
def place(db: Database, tmp_path: Path) -> Arena:
    return Arena(EmbeddedServer(tmp_path / "unused"), db, [], [], Crew((), {}, tmp_path))


@pytest.fixture(autouse=True)
def faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hits, under a name that no real one has; the tests plant others."""
    plant(monkeypatch, _hits)


async def _hits(arena: Arena, luck: random.Random) -> bool:
    return True


async def _misses(arena: Arena, luck: random.Random) -> bool:
    return False


async def _fails(arena: Arena, luck: random.Random) -> bool:
    raise HoldfastError("nobody is there", "wait")


def plant(monkeypatch: pytest.MonkeyPatch, strike: Strike) -> None:
    monkeypatch.setitem(FAULTS, "quick", Fault("quick", Place.WORKERS, strike))


async def test_a_fault_that_was_done_is_written_down_once(place: Arena) -> None:
    done = await harm(place, A_PLAN)
    assert [(blow.fault, blow.hit) for blow in done.blows] == [("quick", True)]
    assert done.misses == []


@pytest.mark.slow
async def test_a_fault_that_could_not_be_done_has_not_fired_and_is_told(
    place: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, _fails)
    done = await harm(place, A_PLAN)
    assert done.blows == []
    assert {(miss.fault, miss.why) for miss in done.misses} == {("quick", "nobody is there")}


async def test_a_fault_that_hit_nobody_is_done_again_a_few_times(
    place: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, _misses)
    done = await harm(place, A_PLAN)
    assert [blow.hit for blow in done.blows] == [False] * (1 + AGAIN)


@pytest.mark.parametrize(
    ("other", "is_beside", "overlaps"),
    [
        (Fault("other", Place.NETWORK, _hits), True, True),
        (Fault("other", Place.NETWORK, _hits), False, False),
        (Fault("other", Place.WORKERS, _hits), True, False),
        (Fault("other", Place.NETWORK, _hits, is_alone=True), True, False),
    ],
)
async def test_only_faults_of_different_places_overlap_and_each_has_its_own_victims(
    place: Arena, monkeypatch: pytest.MonkeyPatch, other: Fault, is_beside: bool, overlaps: bool
) -> None:
    other_began = asyncio.Event()

    async def waits(arena: Arena, luck: random.Random) -> bool:
        arena.victims.add(7)
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE if overlaps else 0.5):
                await other_began.wait()
        return True

    async def begins(arena: Arena, luck: random.Random) -> bool:
        arena.victims.add(8)
        other_began.set()
        return True

    plant(monkeypatch, waits)
    monkeypatch.setitem(FAULTS, "other", replace(other, strike=begins))
    steps = [Step(0, "quick", 1), Step(0, "other", 1, is_beside)]
    done = await harm(place, Plan(1, timedelta(0), ["quick", "other"], 2, steps))
    blows = {blow.fault: blow for blow in done.blows}
    assert (blows["other"].began < blows["quick"].ended) == overlaps
    assert (set(blows["quick"].victims), set(blows["other"].victims)) == ({7}, {8})


def test_about_a_quarter_of_a_schedule_may_go_beside_what_lasts() -> None:
    plan = make_plan(7, timedelta(hours=1), {"quick": 1}, 2)
    share = sum(step.is_beside for step in plan.steps) / len(plan.steps)
    assert 0.2 < share < 0.3
