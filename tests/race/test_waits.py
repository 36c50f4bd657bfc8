"""Who waits and what comes, at once: children and the wait; signal, timeout and cancel."""

import asyncio
import random
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_worker,
    cancel,
    claim,
    claim_one,
    complete,
    running_job,
    settle,
    state_of,
)
from tests.race.crowd import Act, Crowd
from tests.stage_builders import job_that_waits, signal

SPAWN = (
    "select run from holdfast.spawn_children($1, $2, 'k', array['kid'], $3::json[], '{\"queue\": \"kids\"}')"
)


async def family(conn: Connection, children: int, waits: bool = True) -> tuple[Running, list[Running]]:
    parent = await running_job(conn, queue="parents")
    await conn.fetchval(SPAWN, parent.id, parent.token, ["{}"] * children)
    if waits:
        assert await wait(conn, parent)
    return parent, await claim(conn, await a_worker(conn, ["kids"]), children)


async def wait(conn: Connection, parent: Running) -> bool:
    return await settle(conn, parent, "wait", {"for": "children:k"})


async def close(conn: Connection) -> bool:
    return bool(await conn.fetchval("select holdfast.close_runs()"))


async def wakes(conn: Connection, job: UUID) -> int:
    """How often it became ready again: each is an attempt that somebody can claim, once."""
    worker = await a_worker(conn, ["parents", "default"])
    return len([one for one in await claim(conn, worker, 10) if one.id == job])


@pytest.mark.parametrize("commit", [True, False])
async def test_the_last_two_children_ending_at_once_resume_the_parent_once(
    crowd: Crowd, commit: bool
) -> None:
    parent, (one, other) = await family(crowd.watcher, 2)
    await crowd.interleave(
        lambda conn: complete(conn, one), lambda conn: complete(conn, other), commit=commit
    )
    closers = [await crowd.join() for _ in range(4)]
    await asyncio.gather(*map(close, closers))
    if not commit:
        assert await state_of(crowd.watcher, parent.id) == "waiting"
        await complete(crowd.watcher, one)
        await close(crowd.watcher)
    assert await state_of(crowd.watcher, parent.id) == "ready"
    assert await wakes(crowd.watcher, parent.id) == 1


@pytest.mark.parametrize("commit", [True, False])
@pytest.mark.parametrize("order", ["wait first", "close first"])
async def test_the_last_child_and_the_wait_at_once_leave_nobody_waiting(
    crowd: Crowd, order: str, commit: bool
) -> None:
    parent, (child,) = await family(crowd.watcher, 1, waits=False)
    await complete(crowd.watcher, child)

    async def wait_now(conn: Connection) -> bool:
        return await wait(conn, parent)

    acts = (wait_now, close) if order == "wait first" else (close, wait_now)
    await crowd.interleave(*acts, commit=commit)
    if not commit and order == "wait first":
        await wait(crowd.watcher, parent)
    await close(crowd.watcher)
    assert await state_of(crowd.watcher, parent.id) == "ready"


async def test_a_parent_that_somebody_holds_is_resumed_later(crowd: Crowd) -> None:
    parent, (child,) = await family(crowd.watcher, 1)
    await complete(crowd.watcher, child)
    holder = await crowd.join()
    async with holder.transaction():
        await holder.execute("select from holdfast.jobs where id = $1 for update", parent.id)
        assert not await close(crowd.watcher)
        assert await state_of(crowd.watcher, parent.id) == "waiting"
    assert await close(crowd.watcher)
    assert await state_of(crowd.watcher, parent.id) == "ready"


@pytest.mark.parametrize("seed", range(12))
async def test_signal_timeout_and_cancel_at_once_have_one_outcome(crowd: Crowd, seed: int) -> None:
    """Whatever wins: the job is ended or goes on once; a signal that said it resumed or was kept is found."""
    job = await job_that_waits(crowd.watcher, timeout=3600)
    await crowd.watcher.execute("update holdfast.jobs set due_at = holdfast.now() where id = $1", job.id)
    conns = [await crowd.join() for _ in range(4)]

    async def time_out(conn: Connection) -> str:
        return str(await conn.fetchval("select holdfast.promote_jobs()"))

    acts: list[Act[str]] = [
        lambda conn: signal(conn, job.id, data=1),
        lambda conn: signal(conn, job.id, data=2),
        time_out,
        lambda conn: cancel(conn, job.id),
    ]
    random.Random(seed).shuffle(acts)
    results = await asyncio.gather(*(act(conn) for act, conn in zip(acts, conns, strict=True)))
    state = await state_of(crowd.watcher, job.id)
    assert state in ("ready", "cancelled")
    told = [result for result in results if result in ("resumed", "kept")]
    assert len(told) <= 1
    assert state == "cancelled" or len(told) == 1
    if state == "ready":
        held = await claim_one(crowd.watcher, job.worker)
        came = await crowd.watcher.fetchval(
            "select came from holdfast.await_signal($1, $2, 'approval')", held.id, held.token
        )
        assert came


@pytest.mark.parametrize("commit", [True, False])
async def test_a_signal_and_the_wait_at_once_leave_nobody_waiting(crowd: Crowd, commit: bool) -> None:
    job = await running_job(crowd.watcher)

    async def tell(conn: Connection) -> str:
        return await signal(conn, job.id)

    async def wait_now(conn: Connection) -> str:
        return str(await settle(conn, job, "wait", {"for": "signal:approval"}))

    await crowd.interleave(wait_now, tell, commit=commit)
    if not commit:
        await wait_now(crowd.watcher)
    assert await state_of(crowd.watcher, job.id) == "ready"
