"""Whatever a handler does, its attempt has an end, its neighbours get done, and the worker goes on."""

import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

import psutil
import pytest

from holdfast.testing.supervisor import Supervisor, WorkerProcess
from tests.crash.processes import PYTHON, until
from tests.crash.rude_handlers import AWAITED, WAYS
from tests.crash.world import World
from tests.repo.tree import ROOT

pytestmark = pytest.mark.alone

LOOPS = ["asyncio", pytest.param("uvloop", marks=pytest.mark.slow)]
Start = Callable[..., "Command"]
CODES = {"exits": 3, "raises": 1, "returns": 0, "waits": 0}
FORKS = {
    "fork_in_loop": ["exits", "raises", "returns", "waits"],
    "fork_in_task": ["exits", "returns", "waits"],
    "fork_in_transaction": ["exits", "raises", "returns"],
    "fork_in_thread": ["exits", "raises", "returns"],
    "fork_in_process": ["exits", "raises", "returns"],
}
# state, attempt, failures, losses, deferrals
FAILED = ("dead", 1, 1, 0, 0)
DONE = ("completed", 1, 0, 0, 0)
RELEASED = ("ready", 1, 0, 0, 1)


class Command:
    """`holdfast worker` as people start it."""

    def __init__(self, process: WorkerProcess) -> None:
        self.process = process

    @property
    def is_alive(self) -> bool:
        return self.process.exit_code is None

    @property
    def log(self) -> str:
        return self.process.output + self.process.log

    async def stopped(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code after this signal."""
        self.process.signal(number)
        return await self.ended()

    async def ended(self) -> int:
        async def is_over() -> bool:
            return not self.is_alive

        await until(is_over)
        return self.process.exit_code or 0


@pytest.fixture
async def work(database_url: str, tmp_path: Path) -> AsyncIterator[Start]:
    def start(*options: str, loop: str = "asyncio") -> Command:
        command = (loop, "worker", "-A", "tests.crash.rude_handlers:app", "--sweep", "300ms")
        return Command(workers.start(*command, *options))

    environment = {"HOLDFAST_DATABASE_URL": database_url, **PYTHON}
    async with Supervisor(("tests.crash.command_on_loop",), environment, tmp_path, cwd=ROOT) as workers:
        yield start
        for worker in list(workers.workers):
            for child in psutil.Process(worker.pid).children() if worker.exit_code is None else ():
                child.kill()
            workers.kill(worker.pid)


async def ends(here: World, jobs: list[UUID]) -> list[dict[str, Any]]:
    """The jobs, once all have ended."""

    async def all_ended() -> list[dict[str, Any]] | None:
        found = [await here.job(job) for job in jobs]
        return found if all(job["state"] in ("completed", "dead") for job in found) else None

    ended: list[dict[str, Any]] = await until(all_ended)
    return ended


KINDS = [
    ("asyncio", "in_loop", list(WAYS)),
    pytest.param("uvloop", "in_loop", list(WAYS), marks=pytest.mark.slow),
    ("asyncio", "in_thread", [way for way in WAYS if way not in AWAITED]),
    ("asyncio", "in_process", list(WAYS)),
]


@pytest.mark.parametrize(
    ("loop", "task", "ways"), KINDS, ids=lambda value: value if isinstance(value, str) else ""
)
async def test_a_handler_that_would_end_its_worker_fails_alone(
    here: World, work: Start, loop: str, task: str, ways: list[str]
) -> None:
    worker = work(loop=loop)
    culprits = await here.enqueue(task, *[{"way": way} for way in ways])
    neighbours = await here.enqueue("neighbour", *[{"culprit": str(culprit)} for culprit in culprits])
    bad, good = await ends(here, culprits), await ends(here, neighbours)
    assert {way: counts_of(job) for way, job in zip(ways, bad, strict=True)} == dict.fromkeys(ways, FAILED)
    assert [counts_of(job) for job in good] == [DONE] * len(ways)
    assert worker.is_alive
    traces = await here.conn.fetch(
        "select traceback from holdfast.attempts where traceback ~ 'ModuleNotFoundError'"
    )
    assert traces == [], "a command without uvloop must not say so in every traceback"
    assert await worker.stopped() == 0, worker.log
    assert await here.workers() == ["stopped"]


@pytest.mark.parametrize("loop", LOOPS)
async def test_a_handler_that_cancels_all_tasks_costs_its_neighbours_no_failure(
    here: World, work: Start, loop: str
) -> None:
    """Nobody can say who cancelled them: they start again, at no cost. A thread goes on as before."""
    worker = work(loop=loop)
    (late,) = await here.enqueue("plain", {}, delay="1h")
    waiting = await here.enqueue("neighbour", *[{"culprit": str(late)}] * 3)
    threads = await here.enqueue("in_thread_for_long", {"culprit": str(late)})
    await until(here.reaches(running=4, scheduled=1))
    (culprit,) = await here.enqueue("cancel_all", {"then_wait": False})
    await ends(here, [culprit])
    await here.conn.execute("update holdfast.jobs set due_at = now() where id = $1", late)
    good = await ends(here, [late, *waiting, *threads])
    assert [(job["state"], job["failures"], job["losses"]) for job in good] == [("completed", 0, 0)] * 5
    assert good[-1]["attempt"] == 1
    assert worker.is_alive
    assert await worker.stopped() == 0, worker.log


@pytest.mark.parametrize("loop", LOOPS)
async def test_a_handler_that_cancels_all_tasks_while_it_is_alone_has_failed(
    here: World, work: Start, loop: str
) -> None:
    worker = work(loop=loop)
    (culprit,) = await here.enqueue("cancel_all", {"then_wait": True})
    (bad,) = await ends(here, [culprit])
    assert (bad["state"], bad["attempt"], bad["failures"]) == ("dead", 1, 1)
    (after,) = await ends(here, await here.enqueue("plain", {}))
    assert after["state"] == "completed"
    assert await worker.stopped() == 0, worker.log


@pytest.mark.parametrize("loop", LOOPS)
async def test_a_forked_copy_ends_with_its_handler_and_is_no_second_worker(
    here: World, work: Start, loop: str
) -> None:
    worker = work("--slots", "1", loop=loop)
    jobs = {
        (task, way): (await here.enqueue(task, {"way": way}))[0]
        for task, ways in FORKS.items()
        for way in ways
    }
    found = dict(zip(jobs, await ends(here, list(jobs.values())), strict=True))
    assert {key: job["output"] for key, job in found.items()} == {key: CODES[key[1]] for key in jobs}
    assert [counts_of(job) for job in found.values()] == [DONE] * len(jobs)
    (after,) = await ends(here, await here.enqueue("plain", {}))
    assert after["attempt"] == 1
    assert await worker.stopped() == 0, worker.log
    assert "could not leave within its grace" not in worker.log, "it must still hear signals"
    assert await here.workers() == ["stopped"]


LEFT_BEHIND = ["swallow", "leave_a_thread", "leave_an_executor", "leave_an_exit_handler"]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("tasks", [LEFT_BEHIND, ["block_the_loop"]], ids=["left_behind", "blocked"])
async def test_a_worker_leaves_in_time_whatever_its_handlers_left_behind(
    here: World, work: Start, loop: str, tasks: list[str]
) -> None:
    worker = work("--grace", "2s", loop=loop)
    jobs = [job for task in tasks for job in await here.enqueue(task, {})]
    await until(here.reaches(running=len(tasks)))
    began = monotonic()
    assert await worker.stopped() == 0, worker.log
    assert monotonic() - began < 40, "what was left behind lasts for ten minutes"
    assert [counts_of(await here.job(job)) for job in jobs] == [RELEASED] * len(tasks)


async def test_what_did_not_stop_is_named_in_the_log(here: World, work: Start) -> None:
    worker = work("--grace", "1s")
    (job,) = await here.enqueue("swallow", {})
    await until(here.reaches(running=1))
    assert await worker.stopped() == 0
    assert f"job did not stop: job={str(job)[-12:]} task=swallow" in worker.log


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_second_signal_to_the_command_ends_the_grace(
    here: World, work: Start, loop: str, number: signal.Signals
) -> None:
    worker = work("--grace", "10m", "--lease", "2s", loop=loop)
    (late,) = await here.enqueue("plain", {}, delay="1h")
    (job,) = await here.enqueue("neighbour", {"culprit": str(late)})
    await until(here.reaches(running=1, scheduled=1))
    worker.process.signal(number)
    await until(lambda: is_draining(here))
    assert await worker.stopped(number) == 0, worker.log
    found = await here.job(job)
    assert (found["state"], found["deferrals"]) == ("ready", 1)


def counts_of(job: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(job[name] for name in ("state", "attempt", "failures", "losses", "deferrals"))


async def is_draining(here: World) -> bool:
    return await here.workers() == ["draining"]
