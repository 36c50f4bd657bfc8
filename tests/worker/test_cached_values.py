"""Handlers that want one value at once, on two workers: one computes it, the others get the same."""

import asyncio
import itertools
from functools import partial
from typing import Any

import pytest

from holdfast import Holdfast, InvalidInput, InvalidPayload, JobContext
from holdfast.model.state import State
from holdfast.worker.context import cached_value
from tests.worker.working import ended, until, working

JOBS = 12


async def test_of_many_jobs_on_two_workers_one_computes_and_all_get_the_value(app: Holdfast) -> None:
    computed, all_wait, asked = 0, asyncio.Event(), 0

    async def compute() -> dict[str, Any]:
        nonlocal computed
        computed += 1
        await all_wait.wait()
        return {"price": 1.5, "computed": computed}

    async def ask(ctx: JobContext) -> Any:
        nonlocal asked
        asked += 1
        if asked == JOBS:
            all_wait.set()
        return await ctx.cached("price", "1h", compute)

    @app.task()
    async def measure(ctx: JobContext) -> Any:
        return await ask(ctx)

    handles = await measure.enqueue_many([measure.call() for _ in range(JOBS)])
    async with working(app, slots=JOBS // 2), working(app, slots=JOBS // 2):
        found = [(await ended(handle)).output for handle in handles]
    assert found == [{"price": 1.5, "computed": 1}] * JOBS
    assert computed == 1


async def test_an_error_of_the_computation_reaches_its_caller_and_the_next_one_computes(
    app: Holdfast,
) -> None:
    @app.task()
    async def measure(ctx: JobContext) -> list[Any]:
        said: list[str] = []
        for value in (ValueError("it broke"), object(), "x" * 70_000):
            try:
                await ctx.cached("k", "1h", partial(raised, value), wait="1h")
            except (ValueError, InvalidPayload) as exc:
                said.append(str(exc))
        return [*said, await ctx.cached("k", "1h", lambda: (1, 2), wait="1h")]

    handle = await measure.enqueue()
    async with working(app):
        broke, no_json, long, value = (await ended(handle)).output
    assert broke == "it broke"
    assert "object" in no_json
    assert "must have at most 65536 bytes" in long
    assert value == [1, 2], "as every other caller gets it"


async def test_a_computation_that_a_timeout_of_the_handler_ends_frees_the_key(app: Holdfast) -> None:
    @app.task()
    async def measure(ctx: JobContext) -> Any:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await ctx.cached("k", "1h", asyncio.Event().wait, wait="1h")
        return await ctx.cached("k", "1h", lambda: "second", wait="1h")

    handle = await measure.enqueue()
    async with working(app):
        assert (await ended(handle)).output == "second"


async def test_tasks_share_a_value_by_its_scope_only(app: Holdfast) -> None:
    @app.task()
    async def one(ctx: JobContext) -> list[Any]:
        return [
            await ctx.cached("k", "1h", lambda: "one"),
            await ctx.cached("k", "1h", lambda: "one", scope="all"),
        ]

    @app.task()
    async def two(ctx: JobContext) -> list[Any]:
        return [
            await ctx.cached("k", "1h", lambda: "two"),
            await ctx.cached("k", "1h", lambda: "two", scope="all"),
        ]

    async with working(app):
        assert (await ended(await one.enqueue())).output == ["one", "one"]
        assert (await ended(await two.enqueue())).output == ["two", "one"]


async def test_a_thread_that_waits_for_a_value_hears_of_a_cancel(app: Holdfast) -> None:
    over = asyncio.Event()

    @app.task()
    async def slow(ctx: JobContext) -> Any:
        await ctx.label(computes=True)
        return await ctx.cached("k", "1h", over.wait, scope="all")

    @app.task()
    def waits(ctx: JobContext) -> Any:
        ctx.blocking.label(computes=True)
        return ctx.blocking.cached("k", "1h", lambda: "mine", scope="all")

    async with working(app):
        first = await slow.enqueue()
        await until(lambda: cached(app))
        second = await waits.enqueue()
        await until(lambda: begun(app))
        await second.cancel()
        assert (await ended(second)).state is State.CANCELLED
        over.set()
        assert (await ended(first)).output is True


async def test_a_job_that_waits_too_long_for_a_value_snoozes_and_gives_its_slot_back(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = asyncio.Event()

    @app.task()
    async def slow(ctx: JobContext) -> Any:
        return await ctx.cached("k", "1h", over.wait, scope="all")

    @app.task()
    async def waits(ctx: JobContext) -> Any:
        return await ctx.cached("k", "1h", lambda: "mine", wait="1h", scope="all")

    @app.task()
    async def other() -> str:
        return "done"

    async with working(app, slots=2):
        first = await slow.enqueue()
        await until(lambda: cached(app))
        hours = itertools.count(step=3600)
        monkeypatch.setattr(cached_value, "monotonic", lambda: next(hours))
        second = await waits.enqueue()
        assert (await ended(await other.enqueue())).output == "done", "in the slot of the one that waited"
        late = await second.job()
        assert (late.state, late.failures) == (State.SCHEDULED, 0)
        over.set()
        assert (await ended(first)).output is True


async def test_a_key_that_is_no_string_or_a_bad_duration_is_refused(app: Holdfast) -> None:
    @app.task()
    async def measure(ctx: JobContext) -> list[str]:
        said: list[str] = []
        bad: Any
        for bad in ({"key": 7}, {"lasts": "soon"}, {"wait": -1}, {"scope": 7}, {"key": ""}):
            with pytest.raises(InvalidInput) as refused:
                await ctx.cached(**{"key": "k", "lasts": "1h", "compute": lambda: 1, **bad})
            said.append(refused.value.message)
        return said

    handle = await measure.enqueue()
    async with working(app):
        said = (await ended(handle)).output
    assert said[0] == "The key of a cached value must be a string (got 7)."
    assert len(said) == 5


async def cached(app: Holdfast) -> bool:
    (row,) = await app.database.fetch("select count(*) as n from holdfast.cached_values")
    return bool(row["n"])


async def begun(app: Holdfast) -> bool:
    (row,) = await app.database.fetch(
        "select count(*) as n from holdfast.jobs where labels ? 'computes' and task = 'waits'"
    )
    return bool(row["n"])


def raised(value: Any) -> Any:
    if isinstance(value, Exception):
        raise value
    return value
