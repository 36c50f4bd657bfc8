"""Steps, checkpoints, transactions and statements of stages."""

from typing import Any

import pytest

from holdfast import Holdfast, JobContext, JobFailed, Pipeline, Retry, Stage, Worker
from holdfast.db.worker import settle_and_claim
from tests.worker.working import attempts_of

JOBS = 300


async def drain(app: Holdfast, **options: Any) -> None:
    await Worker(app, app.queue_names, drain=True, **options).run()


async def test_an_unnamed_checkpoint_is_the_resume_data_of_the_next_attempt(app: Holdfast) -> None:
    @app.task(retry=[0])
    async def work(ctx: JobContext) -> Any:
        before = await ctx.resume_data
        if before is None:
            await ctx.checkpoint({"page": 3})
            raise Retry("go on", delay=0)
        return before

    @app.task(retry=[0])
    def in_a_thread(ctx: JobContext) -> Any:
        before = ctx.blocking.resume_data
        if before is None:
            ctx.blocking.checkpoint([1, 2])
            raise Retry("go on", delay=0)
        return before

    first, second = await work.enqueue(), await in_a_thread.enqueue()
    await drain(app)
    assert await first.result() == {"page": 3}
    assert await second.result() == [1, 2]


async def test_a_step_may_be_a_plain_function_and_is_done_once(app: Holdfast) -> None:
    calls: list[int] = []

    @app.task(retry=[0])
    async def work(ctx: JobContext) -> Any:
        def look() -> str:
            calls.append(ctx.attempt)
            return "found"

        found = await ctx.step("look", look)
        if ctx.attempt == 1:
            raise Retry("after the step", delay=0)
        return found

    handle = await work.enqueue()
    await drain(app)
    assert (await handle.result(), calls) == ("found", [1])


async def test_a_checkpoint_that_is_too_large_is_refused_with_its_size(app: Holdfast) -> None:
    @app.task()
    async def hoard(ctx: JobContext) -> None:
        await ctx.checkpoint("x" * 1_048_576)

    handle = await hoard.enqueue()
    await drain(app)
    with pytest.raises(
        JobFailed, match=r"checkpoint resume_data must have at most 1048576 bytes \(got 1048578\)"
    ):
        await handle.result()


async def test_a_context_that_is_not_awaited_says_how_to_read_it(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def hasty(ctx: JobContext) -> Any:
        return ctx.context["a"]

    line = app.pipeline(Pipeline("line", [Stage("a", task=hasty)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    with pytest.raises(JobFailed, match=r"write \(await ctx.context\)\['a'\]"):
        await handle.result()


async def test_writes_in_a_transaction_commit_with_the_change_of_stage(app: Holdfast) -> None:
    await app.database.execute("create table booked (job uuid, stage text)")

    @app.task()
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction(output=ctx.stage) as tx:
            await tx.execute("insert into booked values ($1, $2)", ctx.id, ctx.stage)

    line = app.pipeline(Pipeline("line", [Stage("a", task=book), Stage("b", task=book)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    assert await handle.result() == "b"
    rows = await app.database.fetch("select stage from booked where job = $1 order by stage", handle.id)
    assert [row["stage"] for row in rows] == ["a", "b"]
    assert await attempts_of(app, handle.id) == []


async def test_a_change_of_stage_costs_no_statement_of_its_own(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call settles many stages and claims many jobs; what a stage does not ask for is not read."""

    @app.task()
    async def nothing(ctx: JobContext, n: int) -> None:
        return None

    line = app.pipeline(Pipeline("line", [Stage(name, task=nothing) for name in ("a", "b", "c")]))
    await app.declare()
    calls = 0

    async def counted(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        return await settle_and_claim(*args)

    monkeypatch.setattr("holdfast.worker.settle.settle_loop.settle_and_claim", counted)
    await line.enqueue_many([line.call(n) for n in range(JOBS)])
    await drain(app, slots=200)
    assert calls <= 0.1 * 3 * JOBS
    ((done,),) = await app.database.fetch("select count(*) from holdfast.history where state = 'completed'")
    assert done == JOBS
    ((outputs,),) = await app.database.fetch("select count(*) from holdfast.stage_outputs")
    assert outputs == 3 * JOBS
