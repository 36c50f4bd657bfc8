"""A worker that stands still for longer than its lease, and one that only seems to."""

import signal
from collections.abc import Callable

import pytest

from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]


async def test_every_write_of_a_worker_that_was_suspended_past_its_lease_is_fenced(
    here: World, database_url: str, start: Start
) -> None:
    (job,) = await here.enqueue("haunt", {})
    zombie = start(database_url, lease=2)
    await until(here.has_calls(1))
    zombie.signal(signal.SIGSTOP)
    start(database_url, lease=2)
    await until(here.reaches(completed=1))
    row = await here.job(job)
    zombie.signal(signal.SIGCONT)
    await until(lambda: fenced(here, 4))
    zombie.signal(signal.SIGTERM)
    code, report = await zombie.ended()
    assert (code, report["lost"]) == (0, 1)
    assert (await here.job(job), await here.counts()) == (row, {"completed": 1})
    assert await here.conn.fetchval("select count(*) from effects") == 0
    assert await here.conn.fetchval("select count(*) from holdfast.checkpoints") == 0
    assert await here.violations() == {}
    assert (row["attempt"], row["output"]) == (2, str(row["worker"]))


@pytest.mark.slow
async def test_a_handler_that_blocks_the_loop_for_three_leases_is_not_robbed(
    here: World, database_url: str, start: Start
) -> None:
    (job,) = await here.enqueue("block", {"seconds": 30})
    start(database_url, lease=10)
    await until(here.has_calls(1))
    start(database_url, lease=10)
    await until(here.reaches(completed=1), within=60)
    row = await here.job(job)
    assert (row["attempt"], row["losses"], await here.calls()) == (1, 0, 1)


async def fenced(here: World, count: int) -> bool:
    found: int = await here.conn.fetchval("select count(*) from fenced")
    return found == count
