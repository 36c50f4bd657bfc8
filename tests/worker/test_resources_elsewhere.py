"""Resources in a time box, in a server, in child processes, and under the command line."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast import JobContext, Timeout
from holdfast.client.app import Holdfast
from holdfast.model.error import NotConfigured
from holdfast.model.state import State
from holdfast.worker.call.process import process_pool
from tests.patience import PATIENCE
from tests.repo.tree import ROOT
from tests.worker import resource_tasks as tasks
from tests.worker.working import attempts_of, ended, in_state, until, working

pytestmark = pytest.mark.alone


async def refuse() -> None:
    raise ConnectionError("no such database")


async def test_a_worker_with_a_time_box_opens_and_closes_them_inside_its_box(app: Holdfast) -> None:
    told: list[str] = []

    @app.resources
    async def resources() -> AsyncIterator[list[str]]:
        told.append("opened")
        yield told
        told.append("closed")

    @app.task()
    async def work(ctx: JobContext) -> None:
        ctx.resources.append("ran")

    await work.enqueue()
    report = await app.work(time_box="1h")
    assert (report.processed, told) == (1, ["opened", "ran", "closed"])


async def test_resources_that_do_not_open_before_the_margin_end_the_box(app: Holdfast) -> None:
    @app.resources
    async def resources() -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield

    @app.task()
    async def work() -> None: ...

    handle = await work.enqueue()
    with pytest.raises(Timeout, match="margin"):
        await app.work(time_box="600ms", margin="300ms")
    assert (await handle.job()).attempt == 0


async def test_the_worker_inside_a_server_opens_them_before_the_server_serves(app: Holdfast) -> None:
    told: list[str] = []

    @app.resources
    async def resources() -> AsyncIterator[list[str]]:
        await asyncio.sleep(0)
        told.append("opened")
        yield told
        told.append("closed")

    @app.task()
    async def work(ctx: JobContext) -> int:
        return len(ctx.resources)

    async with app.lifespan.with_worker(["default"], sweep="200ms")(None):
        assert told == ["opened"]
        handle = await work.enqueue()
        assert await handle.result(PATIENCE) == 1
    assert told == ["opened", "closed"]
    async with app.lifespan(None):
        assert told == ["opened", "closed"], "a server without a worker needs none"


async def test_a_server_does_not_start_without_the_resources_of_its_worker(app: Holdfast) -> None:
    @app.resources
    async def resources() -> AsyncIterator[None]:
        await refuse()
        yield

    @app.task()
    async def work() -> None: ...

    with pytest.raises(NotConfigured, match="no such database"):
        await app.lifespan.with_worker(["default"])(None).__aenter__()


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "trace"
    monkeypatch.setenv("TRACE", str(file))
    return file


@pytest.fixture
async def found(database_url: str, trace: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Holdfast]:
    """The app of the module that children and commands load, on this test's database."""
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    async with tasks.app as opened:
        yield opened


def told(trace: Path, what: str) -> list[int]:
    """The processes that did it, in order."""
    lines = trace.read_text().splitlines() if trace.exists() else []
    return [int(line.split()[1]) for line in lines if line.startswith(what)]


async def test_each_child_opens_its_own_once_and_closes_them_when_the_worker_leaves(
    found: Holdfast, trace: Path
) -> None:
    async with working(found, slots=4):
        first = (await ended(await tasks.in_child.enqueue())).output
        again = (await ended(await tasks.in_child.enqueue())).output
        other = (await ended(await tasks.async_in_child.enqueue())).output
        assert (await ended(await tasks.here.enqueue())).output == os.getpid()
        assert told(trace, "closed") == []
    assert first == again == [first[1]] * 2, "the child's own, kept for the next job"
    assert other == [other[1]] * 2
    assert sorted(told(trace, "opened")) == sorted([os.getpid(), first[1], other[1]])
    assert sorted(told(trace, "closed")) == sorted([os.getpid(), first[1], other[1]])
    assert told(trace, "closed")[-1] == os.getpid(), "the worker's own come last"


async def test_a_child_that_is_not_needed_any_more_closes_them(
    found: Holdfast, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_pool, "IDLE", 0.05)

    async def has_closed() -> bool:
        return len(told(trace, "closed")) == 1

    async with working(found):
        _, pid = (await ended(await tasks.in_child.enqueue())).output
        await until(has_closed)
        assert told(trace, "closed") == [pid]


@pytest.mark.slow
async def test_a_child_makes_room_for_another_task_and_closes_them(found: Holdfast, trace: Path) -> None:
    async with working(found, slots=1):
        _, first = (await ended(await tasks.in_child.enqueue())).output
        _, second = (await ended(await tasks.async_in_child.enqueue())).output
        assert first != second
        assert told(trace, "closed") == [first]


async def test_a_child_that_cannot_open_them_costs_its_job_nothing(
    found: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with working(found):
        await ended(await tasks.here.enqueue())  # the worker itself has opened them
        monkeypatch.setenv("BREAKS", "open")
        handle = await tasks.in_child.enqueue()
        await until(in_state(handle, State.SCHEDULED))
    assert await attempts_of(found, handle.id) == [("deferred", "system")]
    (row,) = await found.database.fetch("select message from holdfast.attempt_view")
    assert "no such database" in row[0]


@contextmanager
def command(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """`holdfast worker` in a process of its own, which is gone after the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "worker", "-A", "tests.worker.resource_tasks:app", *arguments],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def left(process: "subprocess.Popen[str]") -> tuple[int, str]:
    _, said = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    return process.returncode, said


async def test_a_worker_command_closes_them_on_sigterm(found: Holdfast, trace: Path) -> None:
    handle = await tasks.here.enqueue()
    with command() as worker:
        await until(in_state(handle, State.COMPLETED))
        worker.send_signal(signal.SIGTERM)
        code, said = await left(worker)
    assert code == 0, said
    assert told(trace, "opened") == told(trace, "closed") == [worker.pid]


async def test_a_worker_command_that_cannot_open_them_says_so_and_fails(
    found: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = await tasks.here.enqueue()
    monkeypatch.setenv("BREAKS", "open")
    with command() as worker:
        code, said = await left(worker)
    assert code == 1
    assert "error: The app's resources could not be opened: ConnectionError: no such database" in said
    assert "Traceback" not in said
    job = await handle.job()
    assert (job.state, job.attempt) == (State.READY, 0)


async def test_a_worker_command_that_cannot_close_them_has_lost_nothing(
    found: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = await tasks.here.enqueue()
    monkeypatch.setenv("BREAKS", "close")
    with command("--drain") as worker:
        code, said = await left(worker)
    assert code == 0
    assert "resources not closed: because=ConnectionError" in said
    assert await handle.result() == worker.pid


@pytest.mark.slow
async def test_a_worker_for_suspects_opens_its_own(found: Holdfast, trace: Path) -> None:
    handle = await tasks.ends_its_worker.enqueue()
    with command("--queues", "risky", "--lease", "2s", "--sweep", "300ms") as first:
        await left(first)
    with command("--queues", "risky", "--lease", "2s", "--sweep", "300ms") as second:
        of, pid = (await ended(handle)).output
        second.send_signal(signal.SIGTERM)
        code, said = await left(second)
    assert code == 0, said
    assert of == pid != second.pid
    assert told(trace, "opened") == [first.pid, second.pid, pid]
    assert sorted(told(trace, "closed")) == sorted([second.pid, pid])
