"""A worker that stands still for longer than its lease, and one that only seems to."""

import os
import signal
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from holdfast.db.invariants import check_invariants
from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]
LEASE = 10  # nobody may be robbed, so it is a long one
ENDS = "select max(lease_until) from holdfast.workers"


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A handler stands still until this is opened."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    return path


def let_go(gate: Path) -> None:
    os.close(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))


async def test_every_write_of_a_worker_that_was_suspended_past_its_lease_is_fenced(
    here: World, database_url: str, start: Start
) -> None:
    (job,) = await here.enqueue("haunt", {})
    zombie = start(database_url, lease=2)
    await until(here.has_calls(1))
    zombie.signal(signal.SIGSTOP)
    start(database_url)
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


async def test_a_handler_that_holds_the_interpreter_loses_its_job_and_what_it_writes_is_fenced(
    here: World, database_url: str, start: Start, gate: Path
) -> None:
    """The thread that renews the lease needs the interpreter, too."""
    (job,) = await here.enqueue("grip_until", {"gate": str(gate)})
    victim = start(database_url, lease=1)
    await until(here.has_calls(1))
    start(database_url)
    await until(here.reaches(completed=1))
    row = await here.job(job)
    assert (row["attempt"], row["losses"], row["output"]) == (2, 1, str(row["worker"]))
    let_go(gate)
    victim.signal(signal.SIGTERM)
    code, report = await victim.ended()
    assert (code, report["lost"]) == (0, 1)
    after = await here.job(job)
    assert (after["attempt"], after["output"], await here.counts()) == (2, row["output"], {"completed": 1})
    assert await here.violations() == {}
    assert await check_invariants(here.conn) == []


@pytest.mark.parametrize("task", ["block_until", "grip_apart_until"])
async def test_the_lease_is_renewed_while_a_handler_blocks_the_loop_or_its_own_process(
    here: World, database_url: str, start: Start, gate: Path, task: str
) -> None:
    """Seen in the database: the lease ends later than it did, and the handler has not returned."""
    (job,) = await here.enqueue(task, {"gate": str(gate)})
    start(database_url, lease=4)
    await until(lambda: has_begun(here))
    until_then = await here.conn.fetchval(ENDS)
    await until(lambda: ends_after(here, until_then))
    assert (await here.job(job))["state"] == "running"
    let_go(gate)
    await until(here.reaches(completed=1))
    row = await here.job(job)
    assert (row["attempt"], row["losses"]) == (1, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("task", "leases"), [("block", 3), ("grip_apart", 1.5)])
async def test_a_handler_that_blocks_the_loop_for_three_leases_keeps_its_job(
    here: World, database_url: str, start: Start, task: str, leases: float
) -> None:
    """Nor one that holds the interpreter of a process of its own for longer than a lease."""
    (job,) = await here.enqueue(task, {"seconds": LEASE * leases})
    start(database_url, lease=LEASE)
    await until(lambda: has_begun(here))
    start(database_url, lease=LEASE)
    await until(here.reaches(completed=1))
    row = await here.job(job)
    assert (row["attempt"], row["losses"]) == (1, 0)


async def has_begun(here: World) -> bool:
    """A handler in a process of its own leaves a checkpoint, the others a call."""
    found: int = await here.conn.fetchval("select count(*) from holdfast.checkpoints")
    return found + await here.calls() == 1


async def ends_after(here: World, moment: datetime) -> bool:
    return bool(await here.conn.fetchval(ENDS) > moment)


async def fenced(here: World, count: int) -> bool:
    found: int = await here.conn.fetchval("select count(*) from fenced")
    return found == count
