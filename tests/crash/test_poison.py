"""A job that ends its worker takes nothing with it: from the second time on it runs alone."""

import json
from contextlib import AsyncExitStack
from uuid import UUID

import pytest

from tests.crash.poison_app import LINE
from tests.crash.processes import until
from tests.crash.service import service
from tests.crash.world import World

pytestmark = [pytest.mark.alone, pytest.mark.timeout(300)]

APP = "tests.crash.poison_app:app"
OPTIONS = ("--slots", "30", "--lease", "2s", "--sweep", "300ms", "--grace", "5s")
PATIENCE = 200


async def neighbours(here: World) -> list[UUID]:
    """One or two of every kind; each lasts longer than its worker does beside the culprit."""
    plain = [{}, {}]
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


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_job_that_kills_its_worker_is_dead_and_all_its_neighbours_complete(
    here: World, database_url: str, workers: int
) -> None:
    async with AsyncExitStack() as stack:
        innocent = await neighbours(here)
        (culprit,) = await here.enqueue("kill", {"after": 0.3}, priority=100)
        for _ in range(workers):
            await stack.enter_async_context(service(database_url, APP, *OPTIONS))
        await until(lambda: ended(here, culprit, *innocent), PATIENCE)
        dead, found = await here.job(culprit), [await here.job(job) for job in innocent]
    assert (dead["state"], dead["losses"]) == ("dead", 3)
    assert [job["state"] for job in found] == ["completed"] * len(innocent)
    # Of the time that each needs, at most one attempt's was lost.
    assert all(job["losses"] <= 1 for job in found)
    assert await here.violations() == {}
    assert await here.conn.fetch("select * from holdfast.invariants") == []
