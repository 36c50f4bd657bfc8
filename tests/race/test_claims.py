"""Claims at once never share a job."""

import asyncio
from collections import Counter
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, claim, complete, ready_jobs
from tests.machine.invariants import violations
from tests.race.crowd import Crowd

JOBS = 400


async def drain(conn: Connection, worker: UUID) -> list[Running]:
    """Claims until nothing is left; completes every other batch."""
    mine: list[Running] = []
    while batch := await claim(conn, worker, 7):
        if len(mine) % 2:
            assert all([await complete(conn, job) for job in batch])
        mine += batch
    return mine


async def test_ten_claimers_never_share_a_job(crowd: Crowd) -> None:
    await ready_jobs(crowd.watcher, JOBS)
    workers = [(await crowd.join(), await a_worker(crowd.watcher)) for _ in range(10)]
    claimed = await asyncio.gather(*(drain(conn, worker) for conn, worker in workers))
    times = Counter(job.id for jobs in claimed for job in jobs)
    assert len(times) == JOBS
    assert set(times.values()) == {1}
    assert not await violations(crowd.watcher)


async def test_a_claim_passes_over_what_another_is_claiming(crowd: Crowd) -> None:
    await ready_jobs(crowd.watcher, 10)
    one, other = await a_worker(crowd.watcher), await a_worker(crowd.watcher)
    first, second = await crowd.interleave(
        lambda conn: claim(conn, one, 6), lambda conn: claim(conn, other, 6), commit=True
    )
    assert (len(first), len(second)) == (6, 4)
    assert not {job.id for job in first} & {job.id for job in second}


async def test_a_claim_that_is_undone_leaves_its_jobs_ready(crowd: Crowd) -> None:
    await ready_jobs(crowd.watcher, 3)
    one, other = await a_worker(crowd.watcher), await a_worker(crowd.watcher)
    first, second = await crowd.interleave(
        lambda conn: claim(conn, one, 3), lambda conn: claim(conn, other, 3), commit=False
    )
    assert (len(first), len(second)) == (3, 0)
    again = await claim(crowd.watcher, other, 3)
    assert [job.attempt for job in again] == [1, 1, 1]
    assert not {job.token for job in again} & {job.token for job in first}
