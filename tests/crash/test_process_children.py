"""The children of a worker end with it, however it ends."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from uuid import UUID

import psutil
import pytest

from tests.crash.processes import WorkerProcess, lives, until
from tests.crash.world import World
from tests.patience import PATIENCE

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]


async def pids_of(here: World, job: UUID) -> list[int]:
    """The child and its fork, once they run."""

    async def found() -> list[int]:
        data = await here.conn.fetchval("select data::text from holdfast.load_checkpoints($1)", job)
        return list(json.loads(data)) if data else []

    pids = list(await until(found))
    assert all(lives(pid) for pid in pids)
    return pids


async def until_gone(pids: list[int]) -> None:
    async def gone() -> bool:
        return not any(map(lives, pids))

    await until(gone)


@pytest.mark.parametrize("with_lock", [False, True])
async def test_sigterm_ends_the_children_and_releases_their_jobs(
    here: World, database_url: str, start: Start, with_lock: bool
) -> None:
    (job,) = await here.enqueue("hold", {"with_lock": with_lock})
    worker = start(database_url, grace=0.5)
    pids = await pids_of(here, job)
    worker.signal(signal.SIGTERM)
    assert (await worker.ended())[0] == 0
    assert not any(map(lives, pids))
    row = await here.job(job)
    assert (row["state"], row["failures"], row["losses"], row["deferrals"]) == ("ready", 0, 0, 1)


@pytest.mark.parametrize("with_lock", [False, True])
async def test_the_children_of_a_killed_worker_die_and_another_worker_does_their_jobs(
    here: World, database_url: str, start: Start, with_lock: bool
) -> None:
    (job,) = await here.enqueue("hold", {"with_lock": with_lock})
    worker = start(database_url, lease=2)
    pids = await pids_of(here, job)
    worker.signal(signal.SIGKILL)
    await worker.ended()
    await until_gone(pids)
    start(database_url)
    await until(here.reaches(completed=1))
    row = await here.job(job)
    assert (row["output"], row["attempt"], row["losses"]) == ("again", 2, 1)
    assert await here.violations() == {}


async def test_a_killed_child_costs_its_job_a_failure_and_the_worker_nothing(
    here: World, database_url: str, start: Start
) -> None:
    (job,) = await here.enqueue("hold", {"with_lock": True}, retry={"delays": [0]})
    worker = start(database_url)
    pids = await pids_of(here, job)
    psutil.Process(pids[0]).kill()
    await until(here.reaches(completed=1))
    await until_gone(pids)
    row = await here.job(job)
    assert (row["attempt"], row["failures"], row["losses"]) == (2, 1, 0)
    assert not worker.has_ended


LATE_FORK = """
import os, time
from holdfast.worker.call.process.child.child_limits import let_forks_die_with_it

def outlive_the_parent():
    while os.getppid() == parent:
        time.sleep(0.01)

parent = os.getpid()
os.register_at_fork(after_in_child=outlive_the_parent)
let_forks_die_with_it()
if os.fork() == 0:
    time.sleep(600)
os._exit(0)
"""


def test_a_fork_that_first_runs_after_its_parent_was_killed_ends_too() -> None:
    # Its end closes the pipe for which run() waits.
    subprocess.run([sys.executable, "-c", LATE_FORK], stdout=subprocess.PIPE, timeout=PATIENCE, check=True)
