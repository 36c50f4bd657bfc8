"""What an app opens for its handlers: once for each worker, before any job and until after the last."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from holdfast import JobContext, Worker
from holdfast.client.app import Holdfast
from holdfast.model.error import BadHandler, NotConfigured
from holdfast.model.state import State
from tests.patience import PATIENCE
from tests.worker.working import attempts_of, ended, in_state, until, working


async def refuse() -> None:
    raise ConnectionError("no such database")


async def drained(app: Holdfast, **options: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        await Worker(app, ["default"], drain=True, **options).run()


async def test_handlers_of_every_kind_get_what_was_opened_once(app: Holdfast) -> None:
    seen: list[object] = []
    told: list[str] = []

    @app.resources
    async def resources() -> AsyncIterator[object]:
        told.append("opened")
        yield told
        told.append("closed")

    @app.task()
    async def asynchronous(ctx: JobContext) -> None:
        seen.append(ctx.resources)
        told.append("ran")

    @app.task()
    def plain(ctx: JobContext) -> None:
        seen.append(ctx.resources)
        told.append("ran")

    for task in (asynchronous, plain, asynchronous):
        await task.enqueue()
    await drained(app)
    assert seen == [told] * 3
    assert told == ["opened", "ran", "ran", "ran", "closed"]
    await asynchronous.enqueue()
    await drained(app)
    assert told[5:] == ["opened", "ran", "closed"], "each worker opens its own"


async def test_a_context_manager_function_will_do_as_well(app: Holdfast) -> None:
    @app.resources
    @asynccontextmanager
    async def resources() -> AsyncIterator[int]:
        yield 7

    @app.task()
    async def work(ctx: JobContext) -> int:
        return int(ctx.resources)

    handle = await work.enqueue()
    await drained(app)
    assert await handle.result() == 7


async def test_without_resources_the_error_says_what_to_write_and_costs_no_failure(app: Holdfast) -> None:
    @app.task()
    async def work(ctx: JobContext) -> None:
        ctx.resources.get("pool")

    handle = await work.enqueue()
    await Worker(app, ["default"], once=True).run()
    job = await handle.job()
    assert (job.state, job.failures) == (State.SCHEDULED, 0)
    assert await attempts_of(app, handle.id) == [("deferred", "system")]


async def test_a_failure_on_opening_stops_the_worker_and_touches_no_job(app: Holdfast) -> None:
    closed: list[str] = []

    @asynccontextmanager
    async def first() -> AsyncIterator[None]:
        yield
        closed.append("first")

    @app.resources
    async def resources() -> AsyncIterator[None]:
        async with first():
            try:
                await refuse()
            finally:
                closed.append("second")
            yield

    @app.task()
    async def work() -> None: ...

    handle = await work.enqueue()
    with pytest.raises(
        NotConfigured, match="could not be opened: ConnectionError: no such database"
    ) as caught:
        await drained(app)
    assert isinstance(caught.value.__cause__, ConnectionError)
    assert closed == ["second"]
    job = await handle.job()
    assert (job.state, job.attempt) == (State.READY, 0)
    assert (await app.database.fetch("select count(*) from holdfast.worker_view"))[0][0] == 0


async def test_a_failure_on_closing_is_logged_and_every_job_has_its_end(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    @app.resources
    async def resources() -> AsyncIterator[None]:
        yield
        raise ConnectionError("it did not say goodbye")

    @app.task()
    async def work(n: int) -> int:
        return n

    handles = await work.enqueue_many([work.call(n) for n in range(3)])
    with caplog.at_level(logging.ERROR, "holdfast"):
        await drained(app)
    assert "resources.not_closed because=ConnectionError('it did not say goodbye')" in caplog.text
    assert [await handle.result() for handle in handles] == [0, 1, 2]
    rows = await app.database.fetch("select state from holdfast.worker_view")
    assert [row[0] for row in rows] == ["stopped"]


async def test_a_close_that_never_ends_is_given_up_with_the_grace(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    cancelled: list[bool] = []

    @app.resources
    async def resources() -> AsyncIterator[None]:
        yield
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    @app.task()
    async def work() -> None: ...

    with caplog.at_level(logging.ERROR, "holdfast"):
        async with working(app, grace=timedelta(milliseconds=100)):
            await ended(await work.enqueue())
    assert cancelled == [True]
    assert "resources.not_closed because=it took longer" in caplog.text


async def test_a_worker_that_is_told_to_leave_while_it_opens_leaves(app: Holdfast) -> None:
    opening = asyncio.Event()
    told: list[str] = []

    @app.resources
    async def resources() -> AsyncIterator[None]:
        try:
            opening.set()
            await asyncio.Event().wait()
            yield
        finally:
            told.append("cleaned up")

    @app.task()
    async def work() -> None: ...

    handle = await work.enqueue()
    worker = Worker(app, ["default"])
    running = asyncio.create_task(worker.run())
    async with asyncio.timeout(PATIENCE):
        await opening.wait()
        worker.stop()
        report = await running
    assert (report.handled, told) == (0, ["cleaned up"])
    job = await handle.job()
    assert (job.state, job.attempt) == (State.READY, 0)


async def test_they_are_open_until_the_last_handler_has_ended(app: Holdfast) -> None:
    told: list[str] = []

    @app.resources
    async def resources() -> AsyncIterator[list[str]]:
        yield told
        told.append("closed")

    @app.task()
    async def work(ctx: JobContext) -> None:
        while not ctx.should_yield.is_set():
            await asyncio.sleep(0.01)
        ctx.resources.append("used")

    handle = await work.enqueue()
    worker = Worker(app, ["default"])
    running = asyncio.create_task(worker.run())
    await until(in_state(handle, State.RUNNING))
    worker.stop()
    async with asyncio.timeout(PATIENCE):
        await running
    assert told == ["used", "closed"]
    assert await handle.status() is State.COMPLETED


async def test_one_task_opens_and_closes_them(app: Holdfast) -> None:
    """A task group refuses to be left by another task than that which entered it."""
    tasks: list[Any] = []

    @app.resources
    async def resources() -> AsyncIterator[asyncio.TaskGroup]:
        tasks.append(asyncio.current_task())
        async with asyncio.TaskGroup() as group:
            yield group
        tasks.append(asyncio.current_task())

    @app.task()
    async def work(ctx: JobContext) -> None:
        await ctx.resources.create_task(asyncio.sleep(0))

    handle = await work.enqueue()
    await drained(app)
    assert tasks[0] is tasks[1]
    assert await handle.status() is State.COMPLETED


async def test_a_worker_whose_resources_end_by_themselves_leaves_with_the_error(app: Holdfast) -> None:
    @app.resources
    async def resources() -> AsyncIterator[asyncio.TaskGroup]:
        async with asyncio.TaskGroup() as group:
            yield group

    async def breaks() -> None:
        raise ConnectionError("the socket is gone")

    @app.task()
    async def work(ctx: JobContext) -> None:
        ctx.resources.create_task(breaks())

    handle = await work.enqueue()
    with pytest.raises(NotConfigured, match="ended while the worker was running"):
        async with asyncio.timeout(PATIENCE):
            await Worker(app, ["default"]).run()
    assert await handle.status() is State.COMPLETED


async def test_a_handler_that_cancels_all_tasks_does_not_end_them(app: Holdfast) -> None:
    told: list[str] = []

    @app.resources
    async def resources() -> AsyncIterator[list[str]]:
        yield told
        told.append("closed")

    @app.task()
    async def rude() -> None:
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            if task.get_name().startswith("holdfast"):
                task.cancel()

    @app.task()
    async def work(ctx: JobContext) -> None:
        ctx.resources.append("used")

    async with working(app):
        await ended(await rude.enqueue())
        await ended(await work.enqueue())
    assert told == ["used", "closed"]


async def never_yields() -> AsyncIterator[None]:
    if threading.active_count() < 0:
        yield


async def test_a_function_that_does_not_yield_is_named(app: Holdfast) -> None:
    app.resources(never_yields)
    with pytest.raises(BadHandler, match="never_yields ended before it yielded"):
        await Worker(app, ["default"], once=True).run()
