"""A job that ends its worker takes nothing with it: from the second time on it runs alone."""

import json
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.crash.poison_app import LINE
from tests.crash.processes import service, until
from tests.crash.world import World

pytestmark = pytest.mark.alone

EMBEDDED = "tests.crash.poison_app"
WORKER = ("holdfast", "worker", "-A", f"{EMBEDDED}:app", "--slots", "30", "--lease", "2s", "--sweep", "300ms")


async def neighbours(here: World) -> list[UUID]:
    """One or two of every kind; each lasts longer than its worker does beside the culprit."""
    plain: list[dict[str, Any]] = [{}, {}]
    await here.conn.execute(
        "select holdfast.declare_endpoint('model', $1)", json.dumps({"mode": "fixed", "start": 20})
    )
    await here.conn.execute("select holdfast.declare_pipeline($1, $2)", LINE.name, json.dumps(LINE.wire()))
    made = [
        *await here.enqueue("wait_async", *plain),
        *await here.enqueue("wait_in_thread", *plain),
        *await here.enqueue("wait_in_process", *plain),
        *await here.enqueue("write", *plain),
        *await here.enqueue("wait_async", *plain, endpoint="model"),
        *await here.enqueue("wait_async", *plain, order_key="a"),
        *await here.enqueue("stage", {}, pipeline="line"),
    ]
    run = await here.conn.fetchval("select holdfast.start_run('a run', '{}')")
    return [*made, *await here.enqueue("wait_async", *plain, run=str(run))]


async def ended(here: World, *jobs: UUID) -> bool:
    states = [(await here.job(job))["state"] for job in jobs]
    return not {"ready", "scheduled", "running", "waiting"} & set(states)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
async def test_a_job_that_kills_its_worker_is_dead_and_all_its_neighbours_complete(
    here: World, database_url: str, workers: int
) -> None:
    async with AsyncExitStack() as stack:
        innocent = await neighbours(here)
        (culprit,) = await here.enqueue("kill", {"after": 0.3}, priority=100)
        for _ in range(workers):
            await stack.enter_async_context(service(database_url, *WORKER))
        await until(lambda: ended(here, culprit, *innocent))
        dead, found = await here.job(culprit), [await here.job(job) for job in innocent]
    assert (dead["state"], dead["losses"]) == ("dead", 3)
    assert [job["state"] for job in found] == ["completed"] * len(innocent)
    # Of the time that each needs, at most one attempt's was lost.
    assert all(job["losses"] <= 1 for job in found)
    assert await here.violations() == {}
    assert await here.conn.fetch("select * from holdfast.invariants") == []


@pytest.mark.slow
async def test_a_job_that_holds_the_interpreter_is_dead_and_its_neighbours_complete(
    here: World, database_url: str
) -> None:
    """Its worker wakes up each time and is heard from again, which is forgiven once."""
    async with AsyncExitStack() as stack:
        innocent = await neighbours(here)
        (culprit,) = await here.enqueue("hold_interpreter", {"seconds": 6}, priority=100)
        for _ in range(2):
            await stack.enter_async_context(service(database_url, *WORKER))
        await until(lambda: ended(here, culprit, *innocent))
        dead, found = await here.job(culprit), [await here.job(job) for job in innocent]
    assert (dead["state"], dead["losses"]) == ("dead", 3)
    assert {job["state"] for job in found} == {"completed"}


@pytest.mark.slow
async def test_a_job_that_terminates_its_worker_completes_and_so_do_its_neighbours(
    here: World, database_url: str
) -> None:
    """After five releases each of them runs in a worker of its own, which obeys its parent and no signal."""
    innocent = await here.enqueue("wait_async", {}, {}, {})
    (culprit,) = await here.enqueue("terminate_self", {}, priority=100)
    async with service(database_url, *WORKER, "--grace", "100ms"):
        await until(lambda: ended(here, culprit, *innocent))
        found = [await here.job(job) for job in (culprit, *innocent)]
    assert [job["output"] for job in found] == ["lived on", "done", "done", "done"]
    assert {(job["losses"], job["failures"]) for job in found} == {(0, 0)}


@pytest.mark.slow
async def test_no_job_waits_behind_a_suspect_of_another_queue(here: World, database_url: str) -> None:
    stuck = await suspects(here, "wait_for_ever", 3, queue="slow")
    waiting = await suspects(here, "wait_async", 3, queue="quick")
    plain = await here.enqueue("wait_async", {}, {}, queue="quick")
    async with service(database_url, *WORKER, "--queues", "slow,quick", "--grace", "100ms"):
        await until(lambda: ended(here, *waiting, *plain))
        await until(lambda: all_run(here, *stuck))
    assert {(await here.job(job))["state"] for job in [*waiting, *plain]} == {"completed"}
    assert {(await here.job(job))["state"] for job in stuck} == {"ready"}


@pytest.mark.slow
async def test_a_worker_that_cannot_start_another_runs_suspects_alone(here: World, database_url: str) -> None:
    innocent = await here.enqueue("wait_async", {}, {})
    (culprit,) = await here.enqueue("kill", {"after": 0.3}, priority=100)
    async with service(database_url, EMBEDDED):
        await until(lambda: ended(here, culprit, *innocent))
    assert (await here.job(culprit))["state"] == "dead"
    assert {(await here.job(job))["state"] for job in innocent} == {"completed"}


async def all_run(here: World, *jobs: UUID) -> bool:
    return {(await here.job(job))["state"] for job in jobs} == {"running"}


async def suspects(here: World, task: str, count: int, queue: str) -> list[UUID]:
    """Claimed together by a worker that vanished."""
    made = await here.enqueue(task, *({} for _ in range(count)), queue=queue)
    worker = uuid4()
    await here.conn.execute("select holdfast.register_worker($1, array[$2], '{\"lease\": 1}')", worker, queue)
    await here.conn.execute("select holdfast.claim_jobs($1, $2)", worker, count)
    await here.conn.execute("update holdfast.workers set lease_until = holdfast.now() - interval '1 second'")
    await here.conn.execute("select holdfast.rescue_jobs()")
    return made
