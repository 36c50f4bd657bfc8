"""What a handler returns or raises, and how its attempt ends."""

import gc
import sys
import weakref
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any, cast

import pytest

from holdfast import JobContext
from holdfast.client.app import Holdfast
from holdfast.db.jobs import list_attempts
from holdfast.model.end_attempt import Cancelled, Permanent, RateLimited, Reject, Retry, Snooze
from holdfast.model.state import State
from tests.patience import PATIENCE
from tests.worker.working import attempts_of, ended, in_state, until, working


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Untold(Exception):
    """As a client raises it that reads a header which is not there."""

    @property
    def retry_after(self) -> float:
        raise KeyError("Retry-After")


class Homeless(Exception): ...


Homeless.__module__ = cast(str, None)


def never_later() -> Snooze:
    error = Snooze("1h")
    error.delay = cast(timedelta, None)
    return error


def raiser(error: BaseException) -> Callable[[], Any]:
    async def handler() -> None:
        raise error

    return handler


async def test_a_returned_value_is_the_jobs_output(app: Holdfast) -> None:
    @app.task()
    async def add(a: int, b: int) -> int:
        return a + b

    handle = await add.enqueue(2, b=3)
    async with working(app) as worker:
        assert await handle.result(timeout=PATIENCE) == 5
    assert (worker.report.processed, worker.report.failed, worker.report.unsettled) == (1, 0, 0)


class Large: ...


@pytest.mark.parametrize("is_async", [True, False])
async def test_what_a_failed_handler_held_is_freed_without_the_garbage_collector(
    app: Holdfast, is_async: bool
) -> None:
    held: list[weakref.ref[Large]] = []

    def plain() -> None:
        large = Large()
        held.append(weakref.ref(large))
        raise Permanent("no")

    async def handler() -> None:
        plain()

    @app.around
    async def around(ctx: JobContext) -> AsyncIterator[None]:
        yield

    task = app.task(name="hold")(handler if is_async else plain)
    gc.disable()
    try:
        async with working(app):
            await ended(await task.enqueue())
            assert [one() for one in held] == [None]
    finally:
        gc.enable()


async def test_a_plain_function_runs_in_a_thread_and_gives_its_output(app: Holdfast) -> None:
    @app.task()
    def shout(text: str) -> str:
        return text.upper()

    handles = [await shout.enqueue(f"n{i}") for i in range(5)]
    async with working(app, slots=2):
        assert [await handle.result(timeout=PATIENCE) for handle in handles] == [f"N{i}" for i in range(5)]


async def test_a_handler_in_a_thread_may_name_its_parameters_as_it_likes(app: Holdfast) -> None:
    @app.task()
    def call(function: str, context: str, args: list[int]) -> str:
        return f"{function} {context} {args}"

    handle = await call.enqueue(function="f", context="c", args=[1])
    async with working(app):
        assert await handle.result(timeout=PATIENCE) == "f c [1]"


@pytest.mark.parametrize(
    ("error", "state", "recorded"),
    [
        (Reject("spam"), State.REJECTED, []),
        (Cancelled("no longer wanted"), State.CANCELLED, []),
        (Permanent("wrong for ever"), State.DEAD, [("failed", "permanent")]),
        (Snooze("1h", "later"), State.SCHEDULED, []),
        (RateLimited("slow down", retry_after="1h"), State.SCHEDULED, [("deferred", "rate_limited")]),
        (Retry("again", delay="1h"), State.SCHEDULED, [("failed", "transient")]),
        (ValueError("broken"), State.SCHEDULED, [("failed", "transient")]),
        (Unreadable(), State.SCHEDULED, [("failed", "transient")]),
        (Untold(), State.SCHEDULED, [("failed", "transient")]),
        (Homeless(), State.SCHEDULED, [("failed", "transient")]),
        (never_later(), State.SCHEDULED, [("failed", "transient")]),
        (
            ValueError("NUL \x00 and half a pair \ud800 " + "x" * 100_000),
            State.SCHEDULED,
            [("failed", "transient")],
        ),
        (SystemExit(3), State.SCHEDULED, [("failed", "transient")]),
        (StopIteration(), State.SCHEDULED, [("failed", "transient")]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
async def test_what_a_handler_raises_decides_how_its_attempt_ends(
    app: Holdfast, error: BaseException, state: State, recorded: list[tuple[str, str]]
) -> None:
    task = app.task(name="t", retry=["1h"])(raiser(error))
    handle = await task.enqueue()
    async with working(app):
        await until(in_state(handle, state))
    assert [one for one in await attempts_of(app, handle.id) if one[1] is not None] == recorded


async def test_a_plain_function_that_calls_exit_does_not_end_the_worker(app: Holdfast) -> None:
    @app.task(max_failures=1)
    def leave() -> None:
        sys.exit(1)

    @app.task()
    async def stay() -> int:
        return 1

    first = await leave.enqueue()
    async with working(app):
        assert (await ended(first)).state is State.DEAD
        assert await (await stay.enqueue()).result(timeout=PATIENCE) == 1


async def test_a_failure_is_recorded_with_type_message_place_and_the_handlers_part_of_the_traceback(
    app: Holdfast,
) -> None:
    @app.task(max_failures=1)
    async def divide(by: int) -> float:
        return 1 / by

    handle = await divide.enqueue(0)
    async with working(app):
        await ended(handle)
    (attempt,) = await list_attempts(app.database, handle.id)
    assert (attempt.error_type, attempt.message) == ("ZeroDivisionError", "division by zero")
    assert attempt.place is not None
    assert attempt.place.startswith("test_outcomes.py:")
    assert attempt.place.endswith(" in divide")
    assert attempt.traceback is not None
    assert "return 1 / by" in attempt.traceback
    assert "holdfast/worker" not in attempt.traceback


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_payload_that_does_not_fit_the_handler_is_dead_at_once(app: Holdfast, is_async: bool) -> None:
    async def slow(a: int) -> None: ...

    def quick(a: int) -> None: ...

    app.task(name="t")(slow if is_async else quick)
    await app.database.execute("select holdfast.enqueue('t', '{\"b\": 1}')")
    async with working(app):
        (job,) = await until(lambda: app.jobs(state=State.DEAD))
    (attempt,) = await list_attempts(app.database, job.id)
    assert attempt.error_class == "permanent"
    assert "no parameter b" in (attempt.message or "")


async def test_an_output_that_json_cannot_carry_is_a_permanent_failure_that_names_its_path(
    app: Holdfast,
) -> None:
    @app.task()
    async def odd() -> Any:
        return {"when": [float("nan")]}

    handle = await odd.enqueue()
    async with working(app):
        assert (await ended(handle)).state is State.DEAD
    (attempt,) = await list_attempts(app.database, handle.id)
    assert "output" in (attempt.message or "")
    assert "$.when[0]" in (attempt.message or "")


async def test_an_unknown_task_costs_no_failure_and_is_told_of_once(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    await app.database.execute("select holdfast.enqueue('nobody_knows')")
    await app.database.execute("select holdfast.enqueue('nobody_knows')")
    async with working(app):
        jobs = await until(lambda: both_scheduled(app))
    assert [(job.failures, job.deferrals) for job in jobs] == [(0, 1), (0, 1)]
    assert [record.getMessage() for record in caplog.records].count("job.unknown_task task=nobody_knows") == 1


async def both_scheduled(app: Holdfast) -> Any:
    jobs = await app.jobs(state=State.SCHEDULED)
    return jobs if len(jobs) == 2 else None
