"""Writes the list of functions in docs/life-of-a-job.md: `python -m tests.docs.life_of_a_job` after a change.

It is measured: a plain job is enqueued and run by a worker in this process, under `sys.setprofile`.
"""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import asyncpg

import holdfast
from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.testing.database import fresh_database
from holdfast.worker.claim import wake
from holdfast.worker.worker import Worker
from tests.repo.tree import ROOT
from tests.worker.working import until, working

PAGE = ROOT / "docs" / "life-of-a-job.md"
BEGIN, END = "<!-- written by python -m tests.docs.life_of_a_job -->\n", "<!-- end -->\n"
PACKAGE = Path(holdfast.__file__).parent
# Tasks that run beside a job, when their time has come.
BACKGROUND = {"Sweeper.run", "LockWatch.run", "LoopWatch.run", "Notifier._send_all"}
WAITING = {("worker/claim/wake.py", "Wake.wait"), ("worker/claim/wake.py", "Wake._next_look")}
LOOP = "SettleLoop.run"
JOBS = 300  # more than the calls of anything that happens once per statement
ROUNDS = 3
NEVER = 3600.0

Function = tuple[str, str]  # file and name


class Calls(dict[Function, int]):
    """How often each was called, in the order of their first call; `last`: the last one of each task."""

    def __init__(self) -> None:
        super().__init__()
        self.last: dict[asyncio.Task[Any] | None, Function] = {}


@dataclass(frozen=True, slots=True)
class JobPath:
    """In the order of their first call. `each_job`: called for each job, the others once for all the jobs of
    one statement. `seen`: also those that were called in one round and not in another.
    """

    functions: list[Function]
    each_job: set[Function]
    seen: set[Function]


def page(path: JobPath) -> str:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}{listing(path)}{END}{rest.partition(END)[2]}"


def listing(path: JobPath) -> str:
    shared = len(path.functions) - len(path.each_job)
    head = (
        f"\n{len(path.each_job)} functions are called for each job, {shared} more once for all the jobs of a "
        "statement.\n\n| called for | function | file below `src/holdfast/` |\n|---|---|---|\n"
    )
    return head + "".join(row(path, function) for function in path.functions) + "\n"


def row(path: JobPath, function: Function) -> str:
    file, name = function
    return f"| {'each job' if function in path.each_job else 'a statement'} | `{name}` | `{file}` |\n"


async def path_of_a_job(database_url: str) -> JobPath:
    async with Holdfast(database_url, name="life") as app:

        @app.task()
        async def plain(n: int) -> None:
            pass

        rounds = await _run_alone(app, plain, database_url)
        each_job = await _run_many(app, plain)
    functions = [function for function in rounds[0] if all(function in calls for calls in rounds)]
    return JobPath(functions, each_job, {function for calls in rounds for function in calls})


async def _run_alone(app: Holdfast, plain: Task[..., Any], database_url: str) -> list[Calls]:
    """Jobs one after the other, from `enqueue` to history, by a worker that waits for each of them.

    Without the first job, which makes what later ones find.
    """
    looks, quiet = (wake.FIRST_POLL, wake.LAST_POLL), timedelta(hours=1)
    wake.FIRST_POLL = wake.LAST_POLL = NEVER
    connection = await asyncpg.connect(database_url)
    try:
        async with working(app, sweep=quiet, lease=quiet):
            rounds = [await _run_one(app, plain, connection) for _ in range(1 + ROUNDS)]
    finally:
        wake.FIRST_POLL, wake.LAST_POLL = looks
        await connection.close()
    return rounds[1:]


async def _run_one(app: Holdfast, plain: Task[..., Any], connection: "asyncpg.Connection[Any]") -> Calls:
    calls = Calls()
    await app._links.here().notifier.flush()  # so that its own statement sends the hint

    async def is_over() -> bool:
        """And the worker has read the answer to the statement that stored the end, and waits again."""
        ended = await connection.fetchval("select 1 from holdfast.history where id = $1", job.id)
        has_read = "SettleLoop._note_if_clear" in {name for _, name in calls}
        loops = [last for task, last in calls.last.items() if task is not None and LOOP in repr(task)]
        return ended is not None and has_read and {*loops} <= WAITING and loops != []

    with profiled(calls):
        job = await plain.enqueue(1)
        await until(is_over)
    return calls


async def _run_many(app: Holdfast, plain: Task[..., Any]) -> set[Function]:
    calls = Calls()
    with profiled(calls):
        for n in range(JOBS):
            await plain.enqueue(n)
    worker = Worker(app, ["default"], once=True, slots=JOBS)
    with profiled(calls):
        await worker.run()
    assert worker.report.processed == JOBS
    return {function for function, count in calls.items() if count >= JOBS}


@contextmanager
def profiled(calls: Calls) -> Iterator[None]:
    """Counts the calls of functions of the package in this thread, without lambdas and comprehensions."""
    prefix = f"{PACKAGE}/"

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(prefix) and not code.co_name.startswith("<"):
            task = asyncio.current_task()
            if task is None or getattr(task.get_coro(), "__qualname__", "") not in BACKGROUND:
                function = code.co_filename.removeprefix(prefix), code.co_qualname
                calls[function] = calls.get(function, 0) + 1
                calls.last[task] = function

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


async def main() -> None:
    async with fresh_database() as url:
        PAGE.write_text(page(await path_of_a_job(url)))


if __name__ == "__main__":
    asyncio.run(main())
