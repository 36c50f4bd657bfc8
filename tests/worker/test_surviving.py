"""What a handler does to the worker's event loop, and what becomes of a worker that breaks."""

import asyncio
import logging
from datetime import timedelta

import pytest

from holdfast.client.app import Holdfast
from holdfast.db.worker_list import list_workers
from holdfast.maintenance.sweeper import Sweeper
from holdfast.model.state import State
from holdfast.worker.main_loop import run_main
from holdfast.worker.own_task import OwnTask
from holdfast.worker.worker import Worker
from tests.worker.working import attempts_of, ended, in_state, until, working


@pytest.mark.parametrize("kind", [KeyboardInterrupt, GeneratorExit, SystemExit, asyncio.CancelledError])
@pytest.mark.parametrize("is_async", [True, False])
async def test_no_exception_of_a_handler_leaves_its_attempt_without_an_end(
    app: Holdfast, kind: type[BaseException], is_async: bool
) -> None:
    async def in_loop() -> None:
        raise kind

    def in_thread() -> None:
        raise kind

    task = app.task(name="t", max_failures=1)(in_loop if is_async else in_thread)
    handle = await task.enqueue()
    async with working(app, slots=1):
        job = await ended(handle)
    assert (job.state, job.failures) == (State.DEAD, 1)
    assert await attempts_of(app, handle.id) == [("failed", "transient")]


async def test_attempts_whose_task_is_cancelled_before_its_first_step_are_started_again(
    app: Holdfast,
) -> None:
    """The one that cancels runs first; the tasks of those claimed with it have not begun."""
    starts: list[int] = []

    @app.task()
    async def wait(n: int) -> None:
        starts.append(n)
        await asyncio.sleep(0)

    @app.task()
    def thread(n: int) -> None:
        starts.append(n)

    @app.task(priority=90)
    async def cancel() -> None:
        """All but the test, its releases of connections, and the task that it runs the worker in, which is a
        program's own to cancel.
        """
        for task in asyncio.all_tasks() - before:
            if "Worker.run" not in repr(task) and "PoolConnectionHolder" not in repr(task):
                task.cancel()

    before = asyncio.all_tasks()
    handles = [await wait.enqueue(n) for n in range(3)] + [await thread.enqueue(n) for n in range(3, 6)]
    await cancel.enqueue()
    async with working(app, slots=20) as worker:
        for handle in handles:
            assert (await ended(handle)).failures == 0
    assert sorted(set(starts)) == list(range(6))
    assert worker.report.failed == 0


async def test_a_worker_that_breaks_does_not_release_its_jobs(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One of them may have broken it. They are lost with its lease, and losses are counted."""
    breaks = asyncio.Event()

    async def broken(_: Sweeper) -> None:
        await breaks.wait()
        raise RuntimeError("a defect")

    monkeypatch.setattr(Sweeper, "run", broken)

    @app.task()
    async def endless() -> None:
        await asyncio.Event().wait()

    handle = await endless.enqueue()
    worker = Worker(app, ["default"], lease=timedelta(seconds=2))
    running = asyncio.create_task(worker.run())
    await until(in_state(handle, State.RUNNING))
    breaks.set()
    with pytest.raises(RuntimeError, match="a defect"):
        await running
    assert (await handle.job()).state is State.RUNNING
    assert [row.state for row in await list_workers(app.database)] != ["stopped"]
    await until(lambda: rescued(app))
    job = await handle.job()
    assert (job.losses, job.deferrals) == (1, 0)
    assert "worker.not_unregistered" in caplog.text


async def test_only_the_worker_itself_cancels_its_own_tasks() -> None:
    async def is_timed_out() -> bool:
        try:
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()
        except TimeoutError:
            return True
        return False

    task = OwnTask(is_timed_out())
    await asyncio.sleep(0)
    assert not task.cancel()
    assert await task, "a timeout inside it works"
    endless = OwnTask(asyncio.sleep(3600))
    endless.end()
    with pytest.raises(asyncio.CancelledError):
        await endless


def test_a_main_loop_goes_on_until_its_work_is_done(caplog: pytest.LogCaptureFixture) -> None:
    async def leave() -> None:
        raise SystemExit(3)

    async def work() -> list[str]:
        seen = []
        try:
            await asyncio.create_task(leave())
        except SystemExit as exc:
            seen.append(f"exit {exc.code}")
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0.01)
        return [*seen, "done"]

    with caplog.at_level(logging.ERROR, "holdfast"):
        assert run_main(work()) == ["exit 3", "done"]
    assert caplog.text.count("worker.loop_restarted") == 2


def test_a_main_loop_raises_what_its_work_raises_and_waits_for_no_task_that_goes_on() -> None:
    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue

    async def work(error: BaseException) -> None:
        left.append(asyncio.create_task(stubborn()))
        await asyncio.sleep(0)
        raise error

    left: list[asyncio.Task[None]] = []
    for error in (ValueError("no"), SystemExit(2), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            run_main(work(error))
    assert [task.done() for task in left] == [False] * 3


async def rescued(app: Holdfast) -> bool:
    (row,) = await app.database.fetch("select recovered from holdfast.rescue_jobs()")
    return bool(row["recovered"])
