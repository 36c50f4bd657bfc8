"""A stage's own transaction: its writes stand if, and only if, the stage was completed."""

from datetime import timedelta

from holdfast import Holdfast, JobContext, Pipeline, Stage, Worker
from holdfast.model.state import State


async def test_a_stage_that_was_asked_to_cancel_leaves_no_write_of_its_transaction(app: Holdfast) -> None:
    await app.database.execute("create table effects (job uuid)")
    passed: list[str] = []

    @app.task()
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute("insert into effects values ($1)", ctx.id)
            passed.append("not yet")
            # As when the request comes just before the commit; on a slow machine the worker hears of it.
            await app.database.execute(
                "update holdfast.jobs set cancel_asked_at = now() where id = $1", ctx.id
            )
        passed.append("never")

    @app.task()
    async def send(ctx: JobContext) -> None:
        passed.append("the next stage")

    line = app.pipeline(Pipeline("bookings", [Stage("book", task=book), Stage("send", task=send)]))
    await app.declare()
    handle = await line.enqueue()
    await Worker(app, app.queue_names, drain=True, sweep=timedelta(milliseconds=100)).run()
    job = await handle.job()
    assert (job.state, passed) == (State.CANCELLED, ["not yet"])
    assert await app.database.fetch("select from effects") == []
