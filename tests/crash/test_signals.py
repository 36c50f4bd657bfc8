"""SIGTERM and SIGINT: exit 0, nothing lost, nothing charged."""

import signal
from collections.abc import Callable

import pytest

from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_an_idle_worker_leaves_at_once(
    here: World, database_url: str, start: Start, number: signal.Signals
) -> None:
    worker = start(database_url, grace=3600)
    await until(lambda: registered(here))
    worker.signal(number)
    assert await worker.ended() == (0, {"processed": 0, "lost": 0, "unsettled": 0})
    assert await here.workers() == ["stopped"]


async def test_a_busy_worker_finishes_what_runs_while_renewing_its_lease(
    here: World, database_url: str, start: Start
) -> None:
    """The job runs for longer than the lease after the signal: without renewals it would be lost."""
    (job, other) = await here.enqueue("nap", {"seconds": 4}, {"seconds": 4})
    worker = start(database_url, slots=1, lease=2)
    await until(here.has_calls(1))
    worker.signal(signal.SIGTERM)
    await until(lambda: draining(here))
    start_of_rescue = await here.conn.fetchval("select recovered from holdfast.rescue_jobs()")
    assert (await worker.ended())[0] == 0
    assert start_of_rescue == 0
    found = sorted([await here.job(job), await here.job(other)], key=lambda row: row["state"])
    assert [(row["state"], row["attempt"], row["losses"]) for row in found] == [
        ("completed", 1, 0),
        ("ready", 0, 0),
    ]
    assert await here.workers() == ["stopped"]


async def test_what_runs_beyond_the_grace_is_released_uncharged(
    here: World, database_url: str, start: Start
) -> None:
    (job,) = await here.enqueue("nap", {"seconds": 3600})
    worker = start(database_url, grace=0.5)
    await until(here.has_calls(1))
    worker.signal(signal.SIGTERM)
    assert (await worker.ended())[0] == 0
    await assert_released(here, job)


async def test_a_second_signal_ends_the_grace(here: World, database_url: str, start: Start) -> None:
    (job,) = await here.enqueue("nap", {"seconds": 3600})
    worker = start(database_url, grace=3600, lease=2)
    await until(here.has_calls(1))
    worker.signal(signal.SIGTERM)
    await until(lambda: draining(here))
    worker.signal(signal.SIGTERM)
    assert (await worker.ended())[0] == 0
    await assert_released(here, job)


async def assert_released(here: World, job: object) -> None:
    row = await here.conn.fetchrow(
        "select state, failures, losses, deferrals from holdfast.job_view where id = $1", job
    )
    assert row is not None
    assert tuple(row) == ("ready", 0, 0, 1)
    assert await here.conn.fetchval("select count(*) from holdfast.attempts") == 0


async def registered(here: World) -> bool:
    return await here.workers() == ["working"]


async def draining(here: World) -> bool:
    return await here.workers() == ["draining"]
