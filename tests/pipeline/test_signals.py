"""A job waits for a person without a worker; what it is told is returned by the same call."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from holdfast import Holdfast, JobContext, JobFailed, Pipeline, Stage, WaitTimeout, Worker
from holdfast.client.job_handle import JobHandle
from holdfast.db.maintenance import promote_jobs
from holdfast.model.error import NotFound
from holdfast.model.pipeline import SignalResult
from holdfast.model.state import State

SHORT = timedelta(milliseconds=100)


async def drain(app: Holdfast, **options: Any) -> None:
    await Worker(app, app.queue_names, drain=True, sweep=SHORT, **options).run()


def asking(app: Holdfast, **options: Any) -> Any:
    @app.task()
    async def publish(ctx: JobContext, text: str) -> Any:
        draft = await ctx.step("draft", lambda: f"draft of {text}")
        answer = await ctx.wait_for("approval", **options)
        return [draft, answer]

    return publish


async def is_waiting(handle: JobHandle[Any]) -> None:
    job = await handle.job()
    assert (job.state, job.reason, job.worker) == (State.WAITING, "signal:approval", None)


async def test_a_job_waits_across_workers_until_it_is_told(app: Holdfast, database_url: str) -> None:
    publish = asking(app)
    handle = await publish.enqueue(text="news")
    await drain(app)
    await is_waiting(handle)
    assert await handle.signal("approval", {"by": "Ada"}) is SignalResult.RESUMED
    async with Holdfast(database_url) as other:
        asking(other)
        await drain(other)
    assert await handle.result() == ["draft of news", {"by": "Ada"}]
    job = await handle.job()
    assert (job.attempt, job.failures, job.deferrals) == (2, 0, 0)


async def test_a_signal_that_comes_before_the_wait_is_kept(app: Holdfast) -> None:
    publish = asking(app)
    handle = await publish.enqueue(text="news")
    assert await app.signal(handle.id, "approval", "yes") is SignalResult.KEPT
    await drain(app)
    assert await handle.result() == ["draft of news", "yes"]
    assert (await handle.job()).attempt == 1


async def test_of_several_signals_the_first_counts(app: Holdfast) -> None:
    publish = asking(app)
    handle = await publish.enqueue(text="news")
    await drain(app)
    assert await handle.signal("approval", 1) is SignalResult.RESUMED
    assert await handle.signal("approval", 2) is SignalResult.DUPLICATE
    await drain(app)
    assert await handle.signal("approval", 3) is SignalResult.ENDED
    assert (await handle.result())[1] == 1


async def test_nobody_can_signal_what_is_not_there(app: Holdfast) -> None:
    with pytest.raises(NotFound):
        await app.signal("01900000-0000-7000-8000-000000000000", "approval")


async def test_a_timeout_raises_in_the_handler(app: Holdfast) -> None:
    publish = asking(app, timeout=timedelta(milliseconds=1))
    handle = await publish.enqueue(text="news")
    await drain(app)
    await promote_jobs(app.database)
    await drain(app)
    with pytest.raises(JobFailed, match="No signal approval arrived within"):
        await handle.result()


async def test_a_timeout_may_have_a_default_and_may_be_caught(app: Holdfast) -> None:
    publish = asking(app, timeout="1ms", default="nobody")

    @app.task()
    async def caught(ctx: JobContext) -> str:
        try:
            return str(await ctx.wait_for("approval", timeout="1ms"))
        except WaitTimeout:
            return "without"

    first, second = await publish.enqueue(text="news"), await caught.enqueue()
    await drain(app)
    await promote_jobs(app.database)
    await drain(app)
    assert (await first.result())[1] == "nobody"
    assert await second.result() == "without"


async def test_a_later_visit_of_a_stage_needs_a_signal_of_its_own(app: Holdfast) -> None:
    @app.task()
    async def ask(ctx: JobContext) -> Any:
        answer = await ctx.wait_for("approval")
        return ctx.advance("ask", answer) if answer == "again" else answer

    line = app.pipeline(Pipeline("asking", [Stage("ask", task=ask)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    await handle.signal("approval", "again")
    await drain(app)
    await is_waiting(handle)
    await handle.signal("approval", "fine")
    await drain(app)
    assert await handle.result() == "fine"


async def test_a_wait_in_a_thread_works_alike(app: Holdfast) -> None:
    @app.task()
    def publish(ctx: JobContext) -> Any:
        draft = ctx.blocking.step("draft", lambda: "a draft")
        try:
            return [draft, ctx.blocking.wait_for("approval")]
        except Exception:
            return "swallowed"

    handle = await publish.enqueue()
    await drain(app)
    await is_waiting(handle)
    await handle.signal("approval", "yes")
    await drain(app)
    assert await handle.result() == ["a draft", "yes"]


async def test_waits_in_a_task_group_are_waits(app: Holdfast) -> None:
    @app.task()
    async def both(ctx: JobContext) -> list[Any]:
        async with asyncio.TaskGroup() as group:
            one = group.create_task(ctx.wait_for("approval"))
            other = group.create_task(ctx.wait_for("approval"))
        return [one.result(), other.result()]

    handle = await both.enqueue()
    await drain(app)
    await is_waiting(handle)
    await handle.signal("approval", 7)
    await drain(app)
    assert await handle.result() == [7, 7]


async def test_a_cancelled_wait_is_over(app: Holdfast) -> None:
    publish = asking(app)
    handle = await publish.enqueue(text="news")
    await drain(app)
    await handle.cancel()
    assert await handle.signal("approval") is SignalResult.ENDED
    assert await handle.status() is State.CANCELLED
