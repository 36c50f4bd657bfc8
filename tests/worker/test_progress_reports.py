"""What a handler may report of its progress, and what it cannot."""

from typing import Any

import pytest

from holdfast import Holdfast, InvalidInput, JobContext
from holdfast.model.state import State
from tests.worker.working import ended, working


async def test_bad_reports_raise_in_the_call_and_what_was_reported_stays(app: Holdfast) -> None:
    bad: list[dict[str, Any]] = [
        *({"done": -1}, {"done": None}, {"done": float("nan")}, {"done": 1.5}, {"done": "3"}),
        *({"done": 10**18}, {"done": 5, "total": 4}, {"done": 5, "total": -1}, {"done": 5, "failed": -1}),
        *({"done": 5, "note": 7}, {"done": 5, "item": b"x"}, {"done": 5, "error": 7}),
    ]
    messages: list[str] = []

    @app.task()
    async def work(ctx: JobContext) -> None:
        await ctx.progress(3, 4, item="page 3")
        for given in bad:
            with pytest.raises(InvalidInput) as caught:
                await ctx.progress(**given)
            messages.append(caught.value.message)

    handle = await work.enqueue()
    async with working(app):
        assert (await ended(handle)).state is State.COMPLETED
    assert len(messages) == len(bad)
    assert messages[2] == "done must be an integer, 0 or more (got nan)."
    assert messages[6] == "done must not be more than total (got 5 of 4)."
    progress = await handle.progress()
    assert progress is not None
    assert (progress.done, progress.total, progress.item) == (3, 4, "page 3")


async def test_texts_of_other_systems_never_fail_the_job(app: Holdfast) -> None:
    """Too long, with characters that PostgreSQL cannot store, and with a secret."""

    @app.task()
    async def work(ctx: JobContext) -> None:
        nasty = "a\x00b\ud800c password=hunter2 " + "x" * 100_000
        await ctx.progress(1, note=nasty, item=nasty, error=ValueError(nasty))

    handle = await work.enqueue()
    async with working(app):
        assert (await ended(handle)).state is State.COMPLETED
    progress = await handle.progress()
    assert progress is not None
    assert progress.item is not None
    assert progress.item.startswith("a\ufffdb?c password=[redacted] x")
    assert (len(progress.item), progress.note) == (500, progress.item)
    assert progress.errors[0].error.startswith("ValueError: a\ufffdb?c password=[redacted] x")


async def test_done_beyond_a_total_that_was_reported_before_raises_the_total(app: Holdfast) -> None:
    @app.task()
    async def work(ctx: JobContext) -> None:
        await ctx.progress(1, 2)
        await ctx.progress(3)

    handle = await work.enqueue()
    async with working(app):
        await ended(handle)
    progress = await handle.progress()
    assert progress is not None
    assert (progress.done, progress.total) == (3, 3)


async def test_the_latest_five_errors_of_thousands_are_kept_with_their_items(app: Holdfast) -> None:
    @app.task()
    def work(ctx: JobContext) -> None:
        for number in range(2000):
            ctx.blocking.progress(number + 1, failed=number + 1, item=f"i{number}", error=f"e{number}")

    handle = await work.enqueue()
    async with working(app):
        await ended(handle)
    progress = await handle.progress()
    assert progress is not None
    assert [(one.item, one.error) for one in progress.errors] == [
        (f"i{number}", f"e{number}") for number in range(1995, 2000)
    ]
