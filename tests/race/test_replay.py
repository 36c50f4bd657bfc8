"""Replays at once, and beside the verbs that meet ended jobs."""

import asyncio
import json
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_sealed_run,
    a_worker,
    cancel,
    claim,
    complete,
    completed_job,
    dead_job,
    ready_job,
    replay,
    state_of,
    the_run,
)
from tests.machine.invariants import violations
from tests.race.crowd import Crowd


@pytest.mark.parametrize(
    ("commit", "said"), [(True, ("replayed", "live")), (False, ("replayed", "replayed"))]
)
async def test_a_job_is_replayed_once_by_two_replays(
    crowd: Crowd, commit: bool, said: tuple[str, str]
) -> None:
    job = (await dead_job(crowd.watcher)).id
    again = await crowd.interleave(
        lambda conn: replay(conn, job), lambda conn: replay(conn, job), commit=commit
    )
    assert again == said
    generation = await crowd.watcher.fetchval("select generation from holdfast.jobs where id = $1", job)
    assert generation == 2
    assert not await violations(crowd.watcher)


@pytest.mark.parametrize("by", ["ids", "filter"])
async def test_bulk_replays_over_the_same_order_keys_do_not_wait_for_each_other(
    crowd: Crowd, by: str
) -> None:
    """Each has the keys in another order; the first has taken the first of them when the second comes."""
    made = {
        queue: [(await dead_job(crowd.watcher, queue=queue, order_key=key)).id for key in keys]
        for queue, keys in {"there": "abcd", "back": "dcba"}.items()
    }

    async def bulk(conn: Connection, queue: str) -> int:
        if by == "ids":
            rows = await conn.fetch("select result from holdfast.replay_jobs($1)", made[queue])
        else:
            filters = json.dumps({"queue": queue})
            rows = await conn.fetch("select result from holdfast.replay_dead_letters($1)", filters)
        return [row["result"] for row in rows].count("replayed")

    first, second, third = await crowd.join(), await crowd.join(), await crowd.join()
    gate = first.transaction()
    await gate.start()
    await ready_job(first, order_key="b")
    there = asyncio.ensure_future(bulk(second, "there"))
    await crowd.until_waits_or_passes(second, there)
    back = asyncio.ensure_future(bulk(third, "back"))
    await crowd.until_waits_or_passes(third, back)
    await gate.commit()
    assert (await there, await back) == (4, 4)


async def test_a_replay_of_a_job_whose_end_is_under_way_finds_it_live(crowd: Crowd) -> None:
    await ready_job(crowd.watcher)
    (job,) = await claim(crowd.watcher, await a_worker(crowd.watcher), 1)

    async def end(conn: Connection) -> str:
        return "done" if await complete(conn, job) else "lost"

    assert await crowd.interleave(end, lambda conn: replay(conn, job.id), commit=True) == ("done", "live")
    assert await state_of(crowd.watcher, job.id) == "completed"


async def test_a_replay_and_an_enqueue_of_its_unique_key_give_one_live_job(crowd: Crowd) -> None:
    old = (await completed_job(crowd.watcher, unique_key="k")).id

    async def enqueue(conn: Connection) -> str:
        return str(await ready_job(conn, unique_key="k"))

    said = await crowd.interleave(lambda conn: replay(conn, old), enqueue, commit=True)
    assert said == ("replayed", str(old))
    assert await live_jobs(crowd.watcher) == [old]


async def test_a_replay_gives_way_to_a_newer_job_with_its_unique_key(crowd: Crowd) -> None:
    old = (await completed_job(crowd.watcher, unique_key="k")).id

    async def enqueue(conn: Connection) -> str:
        return str(await ready_job(conn, unique_key="k"))

    new, said = await crowd.interleave(enqueue, lambda conn: replay(conn, old), commit=True)
    assert said == "conflict"
    assert await live_jobs(crowd.watcher) == [UUID(new)]


async def test_a_cancel_beside_a_replay_cancels_nothing_that_it_cannot_see(crowd: Crowd) -> None:
    job = (await dead_job(crowd.watcher)).id
    said = await crowd.interleave(lambda conn: replay(conn, job), lambda conn: cancel(conn, job), commit=True)
    assert said == ("replayed", "ended")
    assert await state_of(crowd.watcher, job) == "ready"


async def test_a_replay_in_a_run_that_is_being_folded_is_counted_once(crowd: Crowd) -> None:
    run, (job,) = await a_sealed_run(crowd.watcher, jobs=1)
    (running,) = await claim(crowd.watcher, await a_worker(crowd.watcher), 1)
    assert await complete(crowd.watcher, running)

    async def close(conn: Connection) -> str:
        return str(await conn.fetchval("select holdfast.close_runs()"))

    await crowd.interleave(close, lambda conn: replay(conn, job), commit=True)
    await close(crowd.watcher)
    counts = await the_run(crowd.watcher, run)
    assert (counts["total"], counts["completed"]) == (1, 0)
    assert not await violations(crowd.watcher)


async def live_jobs(conn: Connection) -> list[UUID]:
    return [row["id"] for row in await conn.fetch("select id from holdfast.jobs")]
