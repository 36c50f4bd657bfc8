"""Rescues at once: a loss is counted once, and a worker that is heard from is not robbed."""

import asyncio
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, complete, expire_worker, ready_jobs, renew, rescue
from tests.machine.invariants import violations
from tests.race.crowd import Crowd

JOBS = 20


async def running_jobs_of_a_lost_worker(crowd: Crowd) -> UUID:
    worker = await a_worker(crowd.watcher)
    await ready_jobs(crowd.watcher, JOBS)
    assert len(await claim(crowd.watcher, worker, JOBS)) == JOBS
    await expire_worker(crowd.watcher, worker)
    return worker


async def losses(crowd: Crowd) -> list[tuple[str, int, int]]:
    return [
        tuple(row.values())
        for row in await crowd.watcher.fetch(
            "select state, losses, count(*) from holdfast.jobs group by state, losses order by state"
        )
    ]


async def takes_one(conn: Connection) -> bool:
    return bool((await rescue(conn))["recovered"] == 1)


@pytest.mark.parametrize("rescuers", [2, 5])
async def test_rescuers_at_once_count_each_loss_once(crowd: Crowd, rescuers: int) -> None:
    await running_jobs_of_a_lost_worker(crowd)
    conns = [await crowd.join() for _ in range(rescuers)]
    counts = await asyncio.gather(*(rescue(conn) for conn in conns))
    assert sum(count["recovered"] for count in counts) == JOBS
    assert await losses(crowd) == [("ready", 1, JOBS)]
    assert await crowd.watcher.fetchval("select count(*) from holdfast.attempts") == JOBS


async def test_a_second_rescuer_does_not_wait_for_the_first(crowd: Crowd) -> None:
    await running_jobs_of_a_lost_worker(crowd)
    first, second = await crowd.interleave(rescue, rescue, commit=True)
    assert (first["recovered"], second["recovered"]) == (JOBS, 0)
    assert await losses(crowd) == [("ready", 1, JOBS)]


async def test_a_rescue_passes_over_a_worker_that_is_renewing(crowd: Crowd) -> None:
    worker = await running_jobs_of_a_lost_worker(crowd)
    _, rescued = await crowd.interleave(lambda conn: renew(conn, worker), rescue, commit=True)
    assert rescued["recovered"] == 0
    assert await losses(crowd) == [("running", 0, JOBS)]


async def test_a_renewal_that_waited_for_its_rescue_is_told_and_forgiven(crowd: Crowd) -> None:
    worker = await running_jobs_of_a_lost_worker(crowd)
    rescued, renewed = await crowd.interleave(rescue, lambda conn: renew(conn, worker), commit=True)
    assert (rescued["recovered"], renewed["rescued"]) == (JOBS, True)
    assert await losses(crowd) == [("ready", 0, JOBS)]


async def test_what_a_rescue_passed_over_is_given_back_when_its_worker_is_told_to_drop_it(
    crowd: Crowd,
) -> None:
    worker = await a_worker(crowd.watcher)
    await ready_jobs(crowd.watcher, 2)
    first, second = await claim(crowd.watcher, worker, 2)
    await expire_worker(crowd.watcher, worker)
    # The end of the first is under way while the sweep comes by, and is then undone.
    await crowd.interleave(lambda conn: complete(conn, first), takes_one, commit=False)
    assert (await renew(crowd.watcher, worker))["rescued"]
    assert await losses(crowd) == [("ready", 0, 2)]
    assert not await complete(crowd.watcher, first)
    assert not await complete(crowd.watcher, second)
    assert not await violations(crowd.watcher)
