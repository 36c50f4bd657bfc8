"""A worker with a time box leaves in time, whatever its handlers do, and nothing is lost by it."""

import asyncio
import threading
import time
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest

from holdfast import JobContext, Snooze, Worker, Yield
from holdfast.client.app import Holdfast
from holdfast.db.worker_list import list_workers
from holdfast.model.error import InvalidOption
from holdfast.model.state import State
from holdfast.worker.time_box.time_box import CANCEL, TimeBox
from holdfast.worker.worker_report import WorkStatus
from tests.patience import PATIENCE
from tests.worker.working import attempts_of, counts, in_state, until

pytestmark = pytest.mark.alone


async def test_a_worker_that_finds_nothing_returns_at_once(app: Holdfast) -> None:
    @app.task()
    async def work() -> None: ...

    async with asyncio.timeout(PATIENCE):
        report = await app.work(time_box="1h")
    assert (report.status, report.processed, report.remaining) == (WorkStatus.NO_WORK, 0, 0)


async def test_a_worker_that_has_done_all_returns_before_its_box_ends(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def work(n: int) -> int:
        if n == 3:
            raise ValueError("three")
        return n

    await work.enqueue_many([work.call(n) for n in range(5)])
    report = await app.work(time_box="1h")
    assert (report.status, report.processed, report.failed, report.released, report.remaining) == (
        WorkStatus.DONE, 5, 1, 0, 0,
    )  # fmt: skip


async def test_a_handler_that_yields_at_the_margin_goes_on_from_its_checkpoint_in_the_next_worker(
    app: Holdfast,
) -> None:
    seen: list[tuple[int, int]] = []

    @app.task()
    async def walk(ctx: JobContext, steps: int) -> int:
        done: int = (await ctx.checkpoints()).get("step", 0)
        while done < steps:
            seen.append((ctx.attempt, done))
            done += 1
            while not ctx.should_yield.is_set() and ctx.attempt == 1 and done == 2:
                await asyncio.sleep(0.01)
            if ctx.should_yield.is_set():
                await ctx.checkpoint("step", done)
                raise Yield
        return done

    handle = await walk.enqueue(4)
    first = await app.work(time_box="8s", margin="6s")
    assert (first.status, first.processed, first.released, first.remaining) == (
        WorkStatus.OUT_OF_TIME, 0, 1, 1,
    )  # fmt: skip
    job = await handle.job()
    assert (job.state, job.failures, job.losses) == (State.READY, 0, 0)
    second = await app.work(time_box="1h")
    assert second.status is WorkStatus.DONE
    assert await handle.result() == 4
    assert seen == [(1, 0), (1, 1), (2, 2), (2, 3)]


async def test_a_handler_that_ignores_the_margin_is_fenced_and_the_job_goes_on_elsewhere(
    app: Holdfast,
) -> None:
    release = asyncio.Event()
    late: list[str] = []

    @app.task()
    async def deaf(ctx: JobContext) -> int:
        if ctx.attempt > 1:
            return ctx.attempt
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        try:
            await ctx.checkpoint("late", 1)
        except Exception as exc:
            late.append(type(exc).__name__)
        return ctx.attempt

    handle = await deaf.enqueue()
    first = await app.work(time_box="2s", margin="1s")
    assert (first.status, first.released) == (WorkStatus.OUT_OF_TIME, 1)
    assert not release.is_set(), "it did not wait for the handler"
    assert (await app.work(time_box="1h")).processed == 1
    release.set()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait([task], timeout=PATIENCE)
    assert late == ["LeaseLost"]
    job = await handle.job()
    assert (job.state, job.output, job.failures, job.losses) == (State.COMPLETED, 2, 0, 0)
    assert await attempts_of(app, handle.id) == []


async def test_a_thread_that_does_not_return_does_not_keep_the_worker(app: Holdfast) -> None:
    release = threading.Event()

    @app.task()
    def stuck(ctx: JobContext) -> bool:
        asked = ctx.should_yield.wait(PATIENCE)
        release.wait(PATIENCE)
        return asked

    handle = await stuck.enqueue()
    report = await app.work(time_box="2s", margin="1s")
    release.set()
    assert (report.status, report.released) == (WorkStatus.OUT_OF_TIME, 1)
    assert (await handle.job()).state is State.READY


async def test_the_jobs_of_a_worker_whose_loop_is_blocked_are_given_back_from_outside(
    app: Holdfast, database_url: str
) -> None:
    """A handler that blocks the event loop past the end of the box: the function is late, the job is not."""
    given_back = threading.Event()

    @app.task()
    async def block() -> None:
        given_back.wait(PATIENCE)  # an async handler must not do that

    handle = await block.enqueue()
    watching = asyncio.create_task(asyncio.to_thread(_until_ready, database_url, str(handle.id), given_back))
    await app.work(time_box="2s", margin="1s")
    assert await watching == "ready", "nobody waited for the handler"
    job = await handle.job()
    assert (job.state, job.failures, job.losses) == (State.READY, 0, 0)
    assert [row.state for row in await list_workers(app.database)] == ["stopped"]


def _until_ready(url: str, job: str, given_back: threading.Event) -> str:
    """From another loop: the test's own is blocked by the handler."""

    async def watch() -> str:
        elsewhere = Holdfast(url)
        async with elsewhere:
            end = monotonic() + PATIENCE
            handle = elsewhere.job(job)
            while await handle.status() is not State.RUNNING and monotonic() < end:
                await asyncio.sleep(0.01)
            while await handle.status() is State.RUNNING and monotonic() < end:
                await asyncio.sleep(0.02)
            return str(await handle.status())

    try:
        return asyncio.run(watch())
    finally:
        given_back.set()


async def test_nothing_is_claimed_that_would_not_be_done_in_time(app: Holdfast) -> None:
    """After the first few it is known that each takes 400 ms; the last 400 ms are unused."""
    started: list[float] = []

    @app.task()
    async def work(ctx: JobContext) -> None:
        left = ctx.time_left()
        assert left is not None
        started.append(left.total_seconds())
        await asyncio.sleep(0.4)

    await work.enqueue_many([work.call() for _ in range(30)])
    report = await app.work(time_box="4s", margin="1s", slots=1)
    assert report.released == 0
    assert report.status is WorkStatus.OUT_OF_TIME
    assert report.processed == len(started) >= 2
    assert all(left > 0.4 for left in started[2:])
    assert await counts(app) == {"completed": len(started), "ready": 30 - len(started)}


async def test_a_worker_that_was_told_to_leave_asks_its_handlers_to_yield_too(app: Holdfast) -> None:
    @app.task()
    async def patient(ctx: JobContext) -> None:
        while not ctx.should_yield.is_set():
            await asyncio.sleep(0.01)
        raise Yield("the worker leaves")

    handle = await patient.enqueue()
    worker = Worker(app, ["default"])
    running = asyncio.create_task(worker.run())
    await until(in_state(handle, State.RUNNING))
    worker.stop()
    async with asyncio.timeout(PATIENCE):
        report = await running
    assert (report.processed, report.released) == (0, 1)
    assert (await handle.job()).state is State.READY


async def test_time_left_is_that_of_the_timeout_without_a_box(app: Holdfast) -> None:
    seen: list[timedelta | None] = []

    @app.task(timeout="1h")
    async def timed(ctx: JobContext) -> None:
        seen.append(ctx.time_left())

    await timed.enqueue()
    await Worker(app, ["default"], drain=True).run()
    assert seen[0] is not None
    assert timedelta(minutes=59) < seen[0] <= timedelta(hours=1)


@pytest.mark.parametrize(
    ("time_box", "options"),
    [("100ms", {}), ("10s", {"margin": "9.5s"}), ("10s", {"margin": "1ms"}), ("10s", {"claim_size": 0})],
)
async def test_a_box_that_cannot_be_right_is_refused(
    app: Holdfast, time_box: str, options: dict[str, Any]
) -> None:
    with pytest.raises(InvalidOption) as caught:
        await app.work(time_box=time_box, queues=["default"], **options)
    assert caught.value.hint


async def test_the_counts_of_a_worker_do_not_include_what_it_put_off(app: Holdfast) -> None:
    @app.task()
    async def later() -> None:
        raise Snooze("1h")

    await later.enqueue()
    report = await Worker(app, ["default"], once=True).run()
    assert (report.processed, report.snoozed, report.released) == (0, 1, 0)
    (row,) = await list_workers(app.database)
    assert (row.processed, row.failed) == (0, 0)


async def test_a_short_worker_leaves_its_last_counts(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def work(n: int) -> None:
        if n == 0:
            raise ValueError("none")

    await work.enqueue_many([work.call(n) for n in range(3)])
    await app.work(time_box="30s")
    (row,) = await list_workers(app.database)
    assert (row.processed, row.failed, row.state) == (3, 1, "stopped")


def test_time_passes_in_a_box() -> None:
    box = TimeBox(timedelta(seconds=10), timedelta(seconds=2), began=time.monotonic() - 9)
    assert box.left_to(CANCEL) == timedelta(0)
    assert timedelta(0) < box.left_to(0) <= timedelta(seconds=1)
