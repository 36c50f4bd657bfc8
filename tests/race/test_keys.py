"""Keys at once: equal unique keys are one job, and an order key is a line in commit order."""

import asyncio
from uuid import UUID

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, claim_one, complete, ready_job, state_of
from tests.machine.invariants import violations
from tests.patience import PATIENCE
from tests.race.crowd import Crowd

EQUAL = 200
PRODUCERS = 20


class Undone(Exception):
    """The producer rolls back."""


async def enqueue_and_maybe_undo(url: str, undo: bool) -> UUID | None:
    conn = await asyncpg.connect(url)
    try:
        async with conn.transaction():
            job = await ready_job(conn, unique_key="the one", payload={"a": 1})
            if undo:
                raise Undone
    except Undone:
        return None
    finally:
        await conn.close()
    return job


@pytest.mark.slow
async def test_two_hundred_equal_unique_keys_half_undone_are_one_job(crowd: Crowd) -> None:
    ids = await asyncio.gather(*(enqueue_and_maybe_undo(crowd.url, bool(n % 2)) for n in range(EQUAL)))
    committed = {id_ for id_ in ids if id_ is not None}
    assert len(committed) == 1
    assert await crowd.watcher.fetchval("select array_agg(id) from holdfast.jobs") == [*committed]
    assert not await violations(crowd.watcher)


async def test_a_unique_key_waits_for_whoever_is_taking_it(crowd: Crowd) -> None:
    async def enqueue(conn: Connection) -> UUID:
        return await ready_job(conn, unique_key="k")

    first, second = await crowd.interleave(enqueue, enqueue, commit=True)
    assert first == second
    undone, made = await crowd.interleave(
        lambda conn: ready_job(conn, unique_key="other"),
        lambda conn: ready_job(conn, unique_key="other"),
        commit=False,
    )
    assert undone != made
    assert await state_of(crowd.watcher, made) == "ready"


async def test_a_unique_key_is_free_once_its_job_has_ended(crowd: Crowd) -> None:
    """The end is not yet committed when the enqueue comes: it gets the old job or a new one, never none."""
    old = await ready_job(crowd.watcher, unique_key="k")
    (job,) = await claim(crowd.watcher, await a_worker(crowd.watcher), 1)

    async def end(conn: Connection) -> UUID:
        assert await complete(conn, job)
        return job.id

    _, given = await crowd.interleave(end, lambda conn: ready_job(conn, unique_key="k"), commit=True)
    assert await state_of(crowd.watcher, given) == ("completed" if given == old else "ready")
    assert not await violations(crowd.watcher)


async def produce(crowd: Crowd, order: list[UUID]) -> None:
    """Notes its job while it still holds the line: nobody can commit in between."""
    conn = await crowd.join()
    async with conn.transaction():
        order.append(await ready_job(conn, order_key="line"))


async def test_concurrent_producers_of_an_order_key_make_one_line_in_commit_order(crowd: Crowd) -> None:
    order: list[UUID] = []
    await asyncio.gather(*(produce(crowd, order) for _ in range(PRODUCERS)))
    worker = await a_worker(crowd.watcher)
    done = []
    while jobs := await claim(crowd.watcher, worker, 5):
        assert len(jobs) == 1, "two of one order key at once"
        done.append(jobs[0].id)
        assert not await violations(crowd.watcher)
        assert await complete(crowd.watcher, jobs[0])
    assert done == order


async def test_the_second_producer_of_an_order_key_waits_for_the_first(crowd: Crowd) -> None:
    async def enqueue(conn: Connection) -> UUID:
        return await ready_job(conn, order_key="line")

    first, second = await crowd.interleave(enqueue, enqueue, commit=True)
    assert [await state_of(crowd.watcher, job) for job in (first, second)] == ["ready", "waiting"]


async def test_a_producer_that_is_undone_leaves_the_head_to_the_next(crowd: Crowd) -> None:
    async def enqueue(conn: Connection) -> UUID:
        return await ready_job(conn, order_key="line")

    undone, head = await crowd.interleave(enqueue, enqueue, commit=False)
    assert [await state_of(crowd.watcher, job) for job in (undone, head)] == [None, "ready"]


async def test_an_open_producer_does_not_stall_an_end_and_its_line_moves_up_afterwards(crowd: Crowd) -> None:
    await ready_job(crowd.watcher, order_key="line")
    second = await ready_job(crowd.watcher, order_key="line")
    (head,) = await claim(crowd.watcher, await a_worker(crowd.watcher), 1)
    producer = await crowd.join()
    opened = producer.transaction()
    await opened.start()
    third = await ready_job(producer, order_key="line")

    await asyncio.wait_for(complete(crowd.watcher, head), PATIENCE)
    assert await state_of(crowd.watcher, second) == "waiting"
    assert await advance(crowd.watcher) == 0, "the producer still holds the line"
    await opened.commit()
    assert await advance(crowd.watcher) == 1
    assert [await state_of(crowd.watcher, job) for job in (second, third)] == ["ready", "waiting"]
    assert not await violations(crowd.watcher)


async def test_a_line_that_ends_while_a_producer_joins_it_starts_with_that_producers_job(
    crowd: Crowd,
) -> None:
    await ready_job(crowd.watcher, order_key="line")
    (head,) = await claim(crowd.watcher, await a_worker(crowd.watcher), 1)

    async def end(conn: Connection) -> UUID:
        assert await complete(conn, head)
        return head.id

    _, joined = await crowd.interleave(end, lambda conn: ready_job(conn, order_key="line"), commit=True)
    assert await state_of(crowd.watcher, joined) == "ready"
    assert not await violations(crowd.watcher)


async def advance(conn: Connection) -> int:
    moved: int = await conn.fetchval("select holdfast.advance_order_keys()")
    return moved


async def test_an_end_does_not_wait_for_a_call_that_has_locked_the_next_job(crowd: Crowd) -> None:
    """The cancel of a run locks all its jobs before it comes to a key, and may wait for this end in turn."""
    _, second = [await ready_job(crowd.watcher, order_key="line") for _ in range(2)]
    head = await claim_one(crowd.watcher, await a_worker(crowd.watcher))
    holder, worker = await crowd.join(), await crowd.join()
    await worker.execute("set lock_timeout = '100ms'")
    async with holder.transaction():
        await holder.execute("select from holdfast.jobs where id = $1 for update", second)
        assert await complete(worker, head)
        assert await advance(crowd.watcher) == 0, "the next job is still locked"
    assert await advance(crowd.watcher) == 1
    assert await state_of(crowd.watcher, second) == "ready"
    assert not await violations(crowd.watcher)
