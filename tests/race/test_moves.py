"""A move beside a claim, a cancel, another move and an enqueue: each job is in one place and ends once."""

import asyncio
from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, cancel, claim, complete, ready_jobs
from tests.machine.invariants import violations
from tests.race.crowd import Crowd

MOVE = "select ready + scheduled from holdfast.move_jobs($1, $2, 10, 'too many', 'Ada')"
QUEUES = "select queue from holdfast.jobs order by id"
JOBS = 60
PAIR = """select holdfast.set_rebalance($1, $2, '{"least_depth": 1}')"""
ROUND = "select from_queue, jobs, result from holdfast.rebalance_queues()"
# A round samples once a minute; an earlier test in this database may just have done so.
NEVER_SAMPLED = "delete from holdfast.chores where name = 'sample_depths'"
FREE = """
select count(*) from (select from holdfast.jobs where queue in ('a', 'c') for update skip locked) as free
"""


async def two_queues(crowd: Crowd) -> None:
    await crowd.forget()
    await a_queue(crowd.watcher, "a")
    await a_queue(crowd.watcher, "b")


async def move(conn: Connection, source: str = "a", to: str = "b") -> int:
    moved: int = await conn.fetchval(MOVE, source, to)
    return moved


async def queues(crowd: Crowd) -> list[str]:
    return [row["queue"] for row in await crowd.watcher.fetch(QUEUES)]


async def test_a_job_that_is_being_claimed_stays(crowd: Crowd) -> None:
    await two_queues(crowd)
    worker = await a_worker(crowd.watcher, ["a"])
    first, _ = await ready_jobs(crowd.watcher, 2, queue="a")

    async def claim_first(conn: Connection) -> int:
        return len([job for job in await claim(conn, worker) if job.id == first])

    assert await crowd.interleave(claim_first, move, commit=True) == (1, 1)
    assert await queues(crowd) == ["a", "b"]
    assert not await violations(crowd.watcher)


async def test_a_claim_passes_over_jobs_that_are_being_moved(crowd: Crowd) -> None:
    await two_queues(crowd)
    worker = await a_worker(crowd.watcher, ["a", "b"])
    await ready_jobs(crowd.watcher, 2, queue="a")

    async def claim_all(conn: Connection) -> int:
        return len(await claim(conn, worker, 5))

    assert await crowd.interleave(move, claim_all, commit=True) == (2, 0)
    assert await claim_all(crowd.watcher) == 2
    assert not await violations(crowd.watcher)


async def test_an_undone_move_leaves_everything_as_it_was(crowd: Crowd) -> None:
    await two_queues(crowd)
    await ready_jobs(crowd.watcher, 2, queue="a")
    assert await crowd.interleave(move, move, commit=False) == (2, 0)
    assert await queues(crowd) == ["a", "a"]
    assert await crowd.watcher.fetchval("select count(*) from holdfast.events where cause = 'move'") == 0


async def test_a_move_and_a_cancel_do_not_wait_for_each_other(crowd: Crowd) -> None:
    await two_queues(crowd)
    (job,) = await ready_jobs(crowd.watcher, 1, queue="a")

    async def cancel_it(conn: Connection) -> int:
        return int(await cancel(conn, job) == "cancelled")

    assert await crowd.interleave(move, cancel_it, commit=True) == (1, 0)
    assert await crowd.interleave(cancel_it, lambda conn: move(conn, "b", "a"), commit=True) == (1, 0)
    assert await queues(crowd) == []
    assert not await violations(crowd.watcher)


async def test_a_round_that_waits_for_the_lane_of_one_pair_holds_no_job_of_another(crowd: Crowd) -> None:
    new = f"endpoint {uuid4()}"  # no test before this one has made its lane in d
    await crowd.forget()
    await crowd.watcher.execute(NEVER_SAMPLED)
    await crowd.watcher.execute("delete from holdfast.rebalance_pairs")
    for source, to in (("a", "b"), ("c", "d")):
        await a_queue(crowd.watcher, source)
        await a_queue(crowd.watcher, to)
        await crowd.watcher.execute(PAIR, source, to)
    jobs = await ready_jobs(crowd.watcher, 20, queue="a")
    await ready_jobs(crowd.watcher, 10, queue="c", endpoint=new)
    producer, round_ = await crowd.join(), await crowd.join()
    async with producer.transaction():
        await ready_jobs(producer, 1, queue="d", endpoint=new)
        moving = asyncio.ensure_future(round_.fetch(ROUND))
        await crowd.until_waits_or_passes(round_, moving)
        assert not moving.done(), "the round waits for the lane"
        assert await crowd.watcher.fetchval(FREE) == 30
        assert await cancel(producer, jobs[0]) == "cancelled"
    assert [tuple(row) for row in await moving] == [("a", 9, "moved"), ("c", 5, "moved")]
    assert not await violations(crowd.watcher)


async def test_movers_claimers_and_producers_at_once_end_each_job_once(crowd: Crowd) -> None:
    await two_queues(crowd)
    worker = await a_worker(crowd.watcher, ["a", "b"])
    done: list[UUID] = []

    async def produce(conn: Connection) -> None:
        for n in range(JOBS // 2):
            await ready_jobs(conn, 2, queue="ab"[n % 2], endpoint=f"model {n % 3}")

    async def shuffle(conn: Connection, source: str, to: str) -> None:
        for _ in range(JOBS // 2):
            await move(conn, source, to)

    async def work(conn: Connection) -> None:
        for _ in range(JOBS):
            for job in await claim(conn, worker, 2):
                assert await complete(conn, job)
                done.append(job.id)

    movers = [("a", "b"), ("b", "a"), ("a", "b")]
    await asyncio.gather(
        produce(await crowd.join()),
        work(await crowd.join()),
        work(await crowd.join()),
        *[shuffle(await crowd.join(), source, to) for source, to in movers],
    )
    while left := await claim(crowd.watcher, worker, 5):
        for job in left:
            assert await complete(crowd.watcher, job)
            done.append(job.id)
    assert len(done) == len(set(done)) == JOBS
    assert await queues(crowd) == []
    assert not await violations(crowd.watcher)
