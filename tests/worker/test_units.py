"""What a handler reported before its attempt ended is charged, however the attempt ended."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from holdfast import Permanent, Pipeline, RateLimited, Reject, Retry, Snooze, Stage, Yield
from holdfast.client.app import Holdfast
from holdfast.client.job_handle import JobHandle
from holdfast.client.run import Run
from holdfast.model.end_attempt import Cancelled
from holdfast.model.outcome import DONE, End, Verb, end_of, units_of
from holdfast.testing import drain
from holdfast.worker.attempt.failure import refused_end
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.worker import process_tasks
from tests.worker.working import until

MODEL = '{"mode": "fixed", "max": 4, "price": 1, "estimate": 10, "trip_failures": 100}'
RAISES: dict[str, Callable[[], BaseException]] = {
    "reject": lambda: Reject("no"),
    "snooze": lambda: Snooze("1h"),
    "yield": lambda: Yield("later"),
    "retry": lambda: Retry("again", "1h"),
    "rate": lambda: RateLimited("slowly", "1h"),
    "permanent": lambda: Permanent("never"),
    "own": lambda: ValueError("broken"),
    "exit": lambda: SystemExit(1),
    "cancelled": lambda: Cancelled("stopped"),
}


async def a_run(app: Holdfast, *tasks: Any, of: tuple[str, ...] = ()) -> tuple[Run, list[JobHandle[Any]]]:
    """A job of each task; a call is expected to cost 10."""
    await app.declare()
    await app.database.execute("select holdfast.declare_endpoint('model', $1)", MODEL)
    async with app.run("costs", budget="100 USD", max_units=100) as run:
        return run, await app.enqueue_many([task.options(run=run).call(*of) for task in tasks])


async def spent(run: Run) -> tuple[float | None, float | None, float | None]:
    progress = await run.progress()
    return progress.spent, progress.used_units, progress.reserved


@pytest.mark.parametrize("kind", RAISES)
async def test_what_was_reported_before_an_exception_is_charged(app: Holdfast, kind: str) -> None:
    @app.task(endpoint="model", retry=[3600])
    async def ask(ctx: JobContext) -> None:
        ctx.units(1)
        ctx.units(2)
        exc = RAISES[kind]()
        raise exc

    run, (handle,) = await a_run(app, ask)
    await Worker(app, ["default"], once=True).run()
    assert await spent(run) == (3, 3, 0)
    assert (await handle.job()).units == 3


async def test_what_was_reported_before_a_timeout_is_charged(app: Holdfast) -> None:
    @app.task(endpoint="model", timeout="100ms", max_failures=1)
    async def ask(ctx: JobContext) -> None:
        ctx.units(3)
        await asyncio.Event().wait()

    run, _ = await a_run(app, ask)
    await Worker(app, ["default"], once=True).run()
    assert await spent(run) == (3, 3, 0)


async def test_what_was_reported_before_a_cancel_is_charged(app: Holdfast) -> None:
    begun = asyncio.Event()

    @app.task(endpoint="model")
    async def ask(ctx: JobContext) -> None:
        ctx.units(3)
        begun.set()
        await asyncio.Event().wait()

    run, (handle,) = await a_run(app, ask)
    working = asyncio.create_task(Worker(app, ["default"], once=True).run())
    await begun.wait()
    await handle.cancel()
    async with asyncio.timeout(PATIENCE):
        await working
    assert await spent(run) == (3, 3, 0)


async def test_what_was_reported_before_the_worker_left_is_charged(app: Holdfast) -> None:
    """By a coroutine that is cancelled, and by a thread that cannot be, and is given up."""
    begun = [Event(), Event()]
    forever = Event()

    @app.task(endpoint="model")
    async def ask(ctx: JobContext) -> None:
        ctx.units(3)
        begun[0].set()
        await asyncio.Event().wait()

    @app.task(endpoint="model")
    def block(ctx: JobContext) -> None:
        ctx.units(4)
        begun[1].set()
        forever.wait(PATIENCE)

    run, _ = await a_run(app, ask, block)
    worker = Worker(app, ["default"], grace=timedelta(milliseconds=100))
    working = asyncio.create_task(worker.run())

    async def both() -> bool:
        return all(one.is_set() for one in begun)

    await until(both)
    worker.stop()
    async with asyncio.timeout(PATIENCE):
        await working
    forever.set()
    assert await spent(run) == (7, 7, 0)


@pytest.mark.parametrize("kind", ["reject", "snooze", "die", "return"])
async def test_what_a_process_reported_is_charged_once(
    database_url: str, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    async with process_tasks.app as app:
        run, _ = await a_run(app, process_tasks.spends, of=(kind,))
        await Worker(app, ["default"], once=True).run()
        assert await spent(run) == (3, 3, 0)


async def test_what_a_process_reported_before_it_was_killed_is_charged(
    database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    trace = tmp_path / "trace"

    async def hangs() -> bool:
        return trace.exists()

    async with process_tasks.app as app:
        run, _ = await a_run(app, process_tasks.spends, of=("hang", str(trace)))
        worker = Worker(app, ["default"], grace=timedelta(milliseconds=100))
        working = asyncio.create_task(worker.run())
        await until(hangs)
        worker.stop()
        async with asyncio.timeout(PATIENCE):
            await working
        assert await spent(run) == (3, 3, 0)


async def test_every_stage_of_a_pipeline_is_charged_what_it_reported(app: Holdfast) -> None:
    """The second calls nothing and says nothing: what was expected of the first is not charged again."""

    @app.task(endpoint="model")
    async def ask(ctx: JobContext) -> None:
        ctx.units(3)

    @app.task()
    async def save() -> None:
        pass

    line = app.pipeline(Pipeline("line", [Stage("ask", task=ask), Stage("save", task=save)]))
    run, _ = await a_run(app, *[line] * 5)
    await drain(app)
    assert (await run.progress()).completed == 5
    assert await spent(run) == (15, 15, 0)


@pytest.mark.parametrize("used", [float("nan"), float("inf"), -1.0])
async def test_units_that_cannot_be_are_refused(app: Holdfast, used: float) -> None:
    said: list[str] = []

    @app.task()
    async def use(ctx: JobContext) -> None:
        try:
            ctx.units(used)
        except ValueError as exc:
            said.append(str(exc))

    await use.enqueue()
    await Worker(app, ["default"], once=True).run()
    assert said == [f"units must be a finite number, 0 or more (got {used!r})"]


def test_an_end_that_the_database_refuses_keeps_its_units() -> None:
    outcome = refused_end(End(Verb.REJECT, None, '{"reason": "no", "units": 3}'), "why")
    assert units_of(end_of(outcome)) == 3
    assert units_of(end_of(refused_end(DONE, "why"))) is None
