"""The fault injector: it records what it injected and what it could not, and some faults overlap."""

import asyncio
import random
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from chaos.cluster import Cluster
from chaos.fault_definition import Fault, Inject, Place
from chaos.fault_injector import AGAIN, inject_faults
from chaos.faults import FAULTS
from chaos.schedule import Schedule, Step, make_schedule
from holdfast.db.connect import Database
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import HoldfastError
from holdfast.testing.supervisor import Supervisor
from tests.patience import PATIENCE

A_SCHEDULE = Schedule(1, timedelta(0), ["quick"], 2, [Step(0, "quick", 1)])


@pytest.fixture
def cluster(db: Database, tmp_path: Path) -> Cluster:
    return Cluster(EmbeddedServer(tmp_path / "unused"), db, [], [], Supervisor((), {}, tmp_path))


@pytest.fixture(autouse=True)
def faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hits, under a name that no real one has; the tests plant others."""
    plant(monkeypatch, _hits)


async def _hits(cluster: Cluster, rng: random.Random) -> bool:
    return True


async def _misses(cluster: Cluster, rng: random.Random) -> bool:
    return False


async def _fails(cluster: Cluster, rng: random.Random) -> bool:
    raise HoldfastError("no server", "wait")


def plant(monkeypatch: pytest.MonkeyPatch, inject: Inject) -> None:
    monkeypatch.setitem(FAULTS, "quick", Fault("quick", Place.WORKERS, inject))


async def test_a_fault_that_was_injected_is_recorded_once(cluster: Cluster) -> None:
    done = await inject_faults(cluster, A_SCHEDULE)
    assert [(injection.fault, injection.hit) for injection in done.injections] == [("quick", True)]
    assert done.failed == []


@pytest.mark.slow
async def test_a_fault_that_could_not_be_injected_is_recorded_as_failed(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, _fails)
    done = await inject_faults(cluster, A_SCHEDULE)
    assert done.injections == []
    assert {(failure.fault, failure.why) for failure in done.failed} == {("quick", "no server")}


async def test_a_fault_that_affected_no_process_is_injected_again_a_few_times(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, _misses)
    done = await inject_faults(cluster, A_SCHEDULE)
    assert [injection.hit for injection in done.injections] == [False] * (1 + AGAIN)


@pytest.mark.parametrize(
    ("other", "may_overlap", "overlaps"),
    [
        (Fault("other", Place.NETWORK, _hits), True, True),
        (Fault("other", Place.NETWORK, _hits), False, False),
        (Fault("other", Place.WORKERS, _hits), True, False),
        (Fault("other", Place.NETWORK, _hits, is_alone=True), True, False),
    ],
)
async def test_only_faults_of_different_places_overlap_and_each_has_its_own_affected_workers(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, other: Fault, may_overlap: bool, overlaps: bool
) -> None:
    other_began = asyncio.Event()

    async def waits(cluster: Cluster, rng: random.Random) -> bool:
        cluster.affected.add(7)
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE if overlaps else 0.5):
                await other_began.wait()
        return True

    async def begins(cluster: Cluster, rng: random.Random) -> bool:
        cluster.affected.add(8)
        other_began.set()
        return True

    plant(monkeypatch, waits)
    monkeypatch.setitem(FAULTS, "other", replace(other, inject=begins))
    steps = [Step(0, "quick", 1), Step(0, "other", 1, may_overlap)]
    done = await inject_faults(cluster, Schedule(1, timedelta(0), ["quick", "other"], 2, steps))
    injections = {injection.fault: injection for injection in done.injections}
    assert (injections["other"].began < injections["quick"].ended) == overlaps
    assert (set(injections["quick"].affected), set(injections["other"].affected)) == ({7}, {8})


def test_about_a_quarter_of_a_schedule_may_go_beside_what_lasts() -> None:
    schedule = make_schedule(7, timedelta(hours=1), {"quick": 1}, 2)
    share = sum(step.may_overlap for step in schedule.steps) / len(schedule.steps)
    assert 0.2 < share < 0.3
