"""What a handler may do about its job."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest

from holdfast.client.app import Holdfast
from holdfast.db.jobs import list_attempts
from holdfast.model.end_attempt import Retry
from holdfast.model.error import InvalidInput, LeaseLost
from holdfast.model.state import State
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.worker_report import WorkerReport
from tests.patience import PATIENCE
from tests.worker.working import counts, ended, until, working

TAKE_AWAY = "update holdfast.jobs set token = gen_random_uuid() where id = $1"


async def test_the_context_tells_about_the_job(app: Holdfast) -> None:
    @app.task(queue="q")
    async def tell(ctx: JobContext) -> list[object]:
        return [str(ctx.id), ctx.task, ctx.queue, ctx.attempt, ctx.labels, ctx.run]

    handle = await tell.options(labels={"a": "b"}).enqueue()
    async with working(app, "q"):
        assert await handle.result(timeout=PATIENCE) == [str(handle.id), "tell", "q", 1, {"a": "b"}, None]


async def test_a_recorded_step_is_not_done_again_by_the_next_attempt(app: Holdfast) -> None:
    calls: list[int] = []

    @app.task(retry=["0s"])
    async def work(ctx: JobContext) -> int:
        async def expensive() -> int:
            calls.append(ctx.attempt)
            return 42

        found: int = await ctx.step("expensive", expensive)
        if ctx.attempt == 1:
            raise Retry("after the step", delay=0)
        return found

    handle = await work.enqueue()
    async with working(app):
        assert await handle.result(timeout=PATIENCE) == 42
    assert calls == [1]


async def test_checkpoints_and_progress_are_kept_for_the_next_attempt_and_for_people(app: Holdfast) -> None:
    @app.task(retry=["0s"])
    def work(ctx: JobContext) -> dict[str, object]:
        if ctx.attempt == 1:
            ctx.blocking.checkpoint("page", {"n": 7})
            ctx.blocking.progress(7, 10, note="half way")
            raise Retry("again")
        return ctx.blocking.checkpoints()

    handle = await work.enqueue()
    async with working(app):
        assert await handle.result(timeout=PATIENCE) == {"page": {"n": 7}}
    (row,) = await app.database.fetch("select done, total, note from holdfast.progress_view")
    assert tuple(row) == (7, 10, "half way")


async def test_the_blocking_context_in_the_loop_is_refused_and_does_not_stop_the_worker(
    app: Holdfast,
) -> None:
    @app.task()
    async def wrong(ctx: JobContext) -> None:
        ctx.blocking.progress(1)

    @app.task()
    async def right() -> int:
        return 1

    first, second = await wrong.enqueue(), await right.enqueue()
    async with working(app):
        assert (await ended(first)).state is State.DEAD
        assert await second.result(timeout=PATIENCE) == 1
    (attempt,) = await list_attempts(app.database, first.id)
    assert (attempt.error_type, "ctx.blocking is for plain functions" in str(attempt.message)) == (
        "BadHandler",
        True,
    )


async def test_progress_that_says_only_what_is_done_keeps_the_rest(app: Holdfast) -> None:
    @app.task()
    async def work(ctx: JobContext) -> None:
        await ctx.progress(1, 10, failed=2, note="half way")
        await ctx.progress(7)

    handle = await work.enqueue()
    async with working(app):
        await ended(handle)
    (row,) = await app.database.fetch("select done, total, failed, note from holdfast.progress_view")
    assert tuple(row) == (7, 10, 2, "half way")


async def test_the_idempotency_key_is_stable_over_attempts_and_new_after_a_replay(app: Holdfast) -> None:
    keys: list[str] = []

    @app.task(retry=["0s"])
    async def call(ctx: JobContext) -> None:
        keys.append(ctx.idempotency_key("pay"))
        if ctx.attempt == 1:
            raise Retry("again")

    handle = await call.enqueue()
    async with working(app):
        await ended(handle)
        await handle.replay()
        await until(in_third_key(keys))
    assert keys[0] == keys[1] != keys[2]
    installation, job, generation, visit, step = keys[0].split(":")
    assert str(UUID(installation)) == installation
    assert (job, generation, visit, step) == (str(handle.id), "1", "1", "pay")


async def test_a_child_is_enqueued_under_its_parent(app: Holdfast) -> None:
    @app.task()
    async def child(n: int) -> int:
        return n

    @app.task()
    async def parent(ctx: JobContext) -> str:
        return str(await ctx.enqueue(child, {"n": 5}, priority=70))

    handle = await parent.enqueue()
    async with working(app):
        made = app.job(await handle.result(timeout=PATIENCE))
        assert await made.result(timeout=PATIENCE) == 5
    job = await made.job()
    assert (job.parent, job.priority) == (handle.id, 70)


async def test_a_child_that_its_handler_could_not_take_is_refused(app: Holdfast) -> None:
    @app.task()
    async def child(n: int) -> int:
        return n

    refused: list[str] = []

    @app.task()
    async def parent(ctx: JobContext) -> None:
        for task in (child, "child"):
            try:
                await ctx.enqueue(task, {"n": "five"})
            except InvalidInput as exc:
                refused.append(exc.message)
        await ctx.enqueue(child.options(priority=90), {"n": 5})
        await ctx.enqueue("somebody_elses", {"n": "five"}, queue="elsewhere")

    handle = await parent.enqueue()
    async with working(app):
        await handle.result(timeout=PATIENCE)
    assert len(refused) == 2
    priorities = {job.task: job.priority for job in await app.jobs()}
    assert priorities == {"parent": 50, "child": 90, "somebody_elses": 50}


async def test_writes_in_a_transaction_commit_with_the_completion(app: Holdfast) -> None:
    await app.database.execute("create table effects (job uuid)")

    @app.task()
    async def book(ctx: JobContext) -> str:
        async with ctx.transaction() as tx:
            await tx.execute("insert into effects values ($1)", ctx.id)
            tx.output = {"booked": True}
        return "ignored"

    handle = await book.enqueue()
    async with working(app) as worker:
        job = await ended(handle)
    assert (job.state, job.output) == (State.COMPLETED, {"booked": True})
    assert len(await app.database.fetch("select from effects")) == 1
    assert worker.report.lost == 0


async def test_an_error_inside_the_transaction_undoes_the_writes_and_fails_the_attempt(app: Holdfast) -> None:
    await app.database.execute("create table effects (job uuid)")

    @app.task(max_failures=1)
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute("insert into effects values ($1)", ctx.id)
            raise ValueError("no")

    handle = await book.enqueue()
    async with working(app):
        assert (await ended(handle)).state is State.DEAD
    assert await app.database.fetch("select from effects") == []


async def test_every_write_of_a_job_that_was_taken_away_raises_and_changes_nothing(app: Holdfast) -> None:
    await app.database.execute("create table effects (job uuid)")
    raised: list[str] = []

    @app.task()
    async def zombie(ctx: JobContext) -> None:
        await app.database.execute(TAKE_AWAY, ctx.id)
        try:
            async with ctx.transaction() as tx:
                await tx.execute("insert into effects values ($1)", ctx.id)
        except LeaseLost:
            raised.append("transaction")
        for name, write in (
            ("checkpoint", ctx.checkpoint("a", 1)),
            ("progress", ctx.progress(1)),
            ("enqueue", ctx.enqueue("zombie")),
        ):
            with pytest.raises(LeaseLost):
                await write
            raised.append(name)

    handle = await zombie.enqueue()
    async with working(app) as worker:
        await until(lambda: lost(worker.report))
        assert (await handle.job()).state is State.RUNNING
        assert await counts(app) == {"running": 1}
    assert raised == ["transaction", "checkpoint", "progress", "enqueue"]
    assert await app.database.fetch("select from effects") == []


async def test_units_add_up_and_reach_the_job(app: Holdfast) -> None:
    @app.task()
    async def use(ctx: JobContext) -> None:
        ctx.units(1.5)
        ctx.units(2)

    handle = await use.enqueue()
    async with working(app):
        assert (await ended(handle)).units == 3.5


async def test_asyncio_timeout_inside_a_handler_stops_only_that_handler(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def impatient() -> None:
        async with asyncio.timeout(0.05):
            await asyncio.Event().wait()

    @app.task()
    async def patient() -> int:
        await asyncio.sleep(0.2)
        return 1

    first, second = await impatient.enqueue(), await patient.enqueue()
    async with working(app):
        assert (await ended(first)).state is State.DEAD
        assert await second.result(timeout=PATIENCE) == 1


def in_third_key(keys: list[str]) -> Callable[[], Awaitable[bool]]:
    async def is_so() -> bool:
        return len(keys) == 3

    return is_so


async def lost(report: WorkerReport) -> bool:
    return report.lost == 1


async def test_units_reported_before_a_transaction_are_kept_with_the_completion(app: Holdfast) -> None:
    @app.task()
    async def work(ctx: JobContext) -> str:
        ctx.units(12.5)
        async with ctx.transaction() as tx:
            tx.output = "done"
        return "does not count"

    handle = await work.enqueue()
    async with working(app):
        assert await handle.result(timeout=PATIENCE) == "done"
    rows = await app.database.fetch("select units from holdfast.history where id = $1", handle.id)
    assert [row["units"] for row in rows] == [12.5]
