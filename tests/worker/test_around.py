"""Wrappers stand around every attempt, whatever runs its handler, and hide no outcome."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

import pytest

from holdfast import JobContext, Permanent, Snooze, Worker
from holdfast.client.app import Holdfast
from holdfast.client.job_handle import JobHandle
from holdfast.model.state import State
from tests.patience import PATIENCE
from tests.worker.working import attempts_of, ended, in_state, until, working

session: ContextVar[str] = ContextVar("session", default="none")


async def run_once(app: Holdfast) -> None:
    async with asyncio.timeout(PATIENCE):
        await Worker(app, app.queue_names, once=True).run()


async def errors_of(app: Holdfast, handle: JobHandle[Any]) -> list[tuple[str, str]]:
    rows = await app.database.fetch(
        "select error_type, message from holdfast.attempt_view where job_id = $1 order by attempt", handle.id
    )
    return [(row["error_type"], row["message"]) for row in rows]


async def test_wrappers_nest_in_the_order_of_their_registration(app: Holdfast) -> None:
    told: list[str] = []

    @app.around
    async def outer(ctx: JobContext) -> AsyncIterator[None]:
        told.append(f"outer {ctx.task}")
        yield
        told.append("outer")

    @app.around
    async def inner(ctx: JobContext) -> AsyncIterator[None]:
        await asyncio.sleep(0)
        told.append("inner")
        yield
        told.append("inner")

    @app.task()
    async def asynchronous() -> int:
        told.append("handler")
        return 1

    @app.task()
    def plain() -> int:
        told.append("handler")
        return 2

    for number, task in enumerate([asynchronous, plain], 1):
        told.clear()
        handle = await task.enqueue()
        await run_once(app)
        assert told == [f"outer {task.name}", "inner", "handler", "inner", "outer"]
        assert await handle.result() == number


async def test_a_handler_sees_the_variables_that_its_wrapper_set_and_no_other_job_does(app: Holdfast) -> None:
    @app.around
    async def with_session(ctx: JobContext) -> AsyncIterator[None]:
        if ctx.labels:
            session.set(str(ctx.labels["of"]))
        yield

    @app.task()
    async def asynchronous() -> str:
        return session.get()

    @app.task()
    def plain() -> str:
        return session.get()

    of_ada = [await task.options(labels={"of": "Ada"}).enqueue() for task in (asynchronous, plain)]
    others = [await task.enqueue() for task in (asynchronous, plain)]
    await run_once(app)
    assert [await handle.result() for handle in of_ada] == ["Ada"] * 2
    assert [await handle.result() for handle in others] == ["none"] * 2


async def test_what_a_wrapper_raises_before_the_handler_is_the_outcome(app: Holdfast) -> None:
    ran: list[str] = []

    @app.around
    async def not_now(ctx: JobContext) -> AsyncIterator[None]:
        if ctx.attempt == 1:
            raise Snooze("0s")
        yield

    @app.task()
    async def work() -> None:
        ran.append("handler")

    handle = await work.enqueue()
    await run_once(app)
    assert (ran, await handle.status()) == ([], State.READY)
    await run_once(app)
    assert (ran, await handle.status()) == (["handler"], State.COMPLETED)


@pytest.mark.parametrize("kind", ["async", "plain"])
async def test_what_a_wrapper_makes_of_the_handler_s_exception_is_the_outcome(
    app: Holdfast, kind: str
) -> None:
    @app.around
    async def translate(ctx: JobContext) -> AsyncIterator[None]:
        try:
            yield
        except ValueError as exc:
            raise Permanent(f"translated: {exc}") from exc

    @app.task(name="async", max_failures=9)
    async def asynchronous() -> None:
        raise ValueError("by the handler")

    @app.task(max_failures=9)
    def plain() -> None:
        raise ValueError("by the handler")

    handle = await app.tasks[kind].enqueue()
    await run_once(app)
    assert await handle.status() is State.DEAD
    assert await errors_of(app, handle) == [("Permanent", "translated: by the handler")]


async def test_a_wrapper_that_fails_after_the_handler_fails_the_attempt(app: Holdfast) -> None:
    @app.around
    async def commit(ctx: JobContext) -> AsyncIterator[None]:
        yield
        if ctx.attempt == 1:
            raise ConnectionError("the commit failed")

    @app.task(retry={"delays": [0, 0]})
    async def work() -> int:
        return 1

    handle = await work.enqueue()
    async with working(app):
        job = await ended(handle)
    assert (job.state, job.output, job.failures) == (State.COMPLETED, 1, 1)


async def test_a_wrapper_that_swallows_the_handler_s_exception_hides_nothing(app: Holdfast) -> None:
    @app.around
    async def silent(ctx: JobContext) -> AsyncIterator[None]:
        with suppress(BaseException):
            yield

    @app.task(max_failures=1)
    async def breaks() -> None:
        raise ValueError("by the handler")

    @app.task()
    async def waits(ctx: JobContext) -> None:
        await ctx.wait_for("a word")

    @app.task()
    async def stands() -> None:
        await asyncio.Event().wait()

    broken, waiting = await breaks.enqueue(), await waits.enqueue()
    await run_once(app)
    assert await errors_of(app, broken) == [("ValueError", "by the handler")]
    assert await broken.status() is State.DEAD
    assert await waiting.status() is State.WAITING

    standing = await stands.enqueue()
    async with working(app):
        await until(in_state(standing, State.RUNNING))
    job = await standing.job()
    assert (job.state, job.failures) == (State.READY, 0), "released, not completed"


async def test_a_wrapper_that_never_calls_the_handler_is_named_in_a_dead_letter(app: Holdfast) -> None:
    ran: list[str] = []

    @app.around
    async def forgetful(ctx: JobContext) -> AsyncIterator[None]:
        if not ctx.labels:
            return
        yield

    @app.task(max_failures=9)
    async def work() -> None:
        ran.append("handler")

    skipped, done = await work.enqueue(), await work.options(labels={"a": 1}).enqueue()
    await run_once(app)
    assert (await skipped.status(), await done.status()) == (State.DEAD, State.COMPLETED)
    ((kind, message),) = await errors_of(app, skipped)
    assert kind == "BadHandler"
    assert "forgetful ended before it yielded" in message
    assert ran == ["handler"]


async def test_a_wrapper_that_yields_twice_is_named_too(app: Holdfast) -> None:
    @app.around
    async def twice(ctx: JobContext) -> AsyncIterator[None]:
        yield
        yield

    @app.task()
    async def work() -> None: ...

    handle = await work.enqueue()
    await run_once(app)
    ((_, message),) = await errors_of(app, handle)
    assert "twice yielded twice" in message


@pytest.mark.parametrize("where", ["before", "after"])
async def test_a_wrapper_of_a_plain_function_that_never_ends_is_stopped_by_the_timeout(
    app: Holdfast, where: str
) -> None:
    @app.around
    async def hangs(ctx: JobContext) -> AsyncIterator[None]:
        if where == "before":
            await asyncio.Event().wait()
        yield
        await asyncio.Event().wait()

    @app.task(timeout="200ms", max_failures=1)
    def plain() -> None: ...

    handle = await plain.enqueue()
    async with working(app):
        assert (await ended(handle)).state is State.DEAD
    assert await attempts_of(app, handle.id) == [("timed_out", "transient")]


async def test_a_wrapper_hears_that_the_thread_of_its_handler_was_given_up(app: Holdfast) -> None:
    seen: list[str] = []
    release = threading.Event()

    @app.around
    async def note(ctx: JobContext) -> AsyncIterator[None]:
        try:
            yield
        except BaseException as exc:
            seen.append(type(exc).__name__)
            raise

    @app.task(timeout="200ms", max_failures=1)
    def stuck() -> None:
        release.wait(PATIENCE)

    handle = await stuck.enqueue()
    async with working(app):
        assert (await ended(handle)).state is State.DEAD
        release.set()
    assert seen == ["CancelledError"]


async def test_after_the_job_s_own_transaction_a_wrapper_changes_nothing(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    @app.around
    async def late(ctx: JobContext) -> AsyncIterator[None]:
        yield
        raise ConnectionError("too late")

    @app.task()
    async def work(ctx: JobContext) -> None:
        async with ctx.transaction(output=1):
            pass

    handle = await work.enqueue()
    with caplog.at_level(logging.WARNING, "holdfast"):
        await run_once(app)
    job = await handle.job()
    assert (job.state, job.output) == (State.COMPLETED, 1)
    assert "job.late_exception" in caplog.text
