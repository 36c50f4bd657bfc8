"""A transaction that the handler ended itself completes no job; one that met another is tried again."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.model.job import Job
from holdfast.model.state import State
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.context.job_transaction import JobTransaction
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.worker.working import attempts_of, ended, working

EFFECT = "insert into effects values ($1)"
Between = Callable[[JobTransaction], Awaitable[Any]]


async def said(app: Holdfast, job: Job) -> tuple[str, str, str]:
    """Class, type and message of its only attempt."""
    (row,) = await app.database.fetch(
        "select class, error_type, message from holdfast.attempt_view where job_id = $1", job.id
    )
    return row["class"], row["error_type"], row["message"]


async def effects(app: Holdfast) -> list[str]:
    return [row["what"] for row in await app.database.fetch("select what from effects order by what")]


async def after(app: Holdfast, between: Between) -> Job:
    """The end of a job that writes `before`, does that, and writes `later`."""
    await app.database.execute("create table effects (what text)")

    @app.task()
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute(EFFECT, "before")
            await between(tx)
            await tx.execute(EFFECT, "later")

    handle = await book.enqueue()
    async with working(app):
        return await ended(handle)


@pytest.mark.parametrize(
    ("ending", "stands", "kept"),
    [
        ("commit", "are committed", ["before", "later"]),
        ("commit; begin", "are committed", ["before"]),
        ("commit and chain", "are committed", ["before"]),
        ("rollback", "are undone", ["later"]),
        ("rollback; begin", "are undone", []),
        ("rollback and chain", "are undone", []),
    ],
)
async def test_a_transaction_that_the_handler_ended_completes_no_job_and_says_what_stands(
    app: Holdfast, ending: str, stands: str, kept: list[str]
) -> None:
    job = await after(app, lambda tx: tx.execute(ending))
    assert await effects(app) == kept
    assert job.state is State.DEAD, "a retry would repeat what was committed"
    error_class, kind, message = await said(app, job)
    assert (error_class, kind) == ("permanent", "TransactionEnded")
    assert stands in message


async def test_an_error_that_was_swallowed_after_a_commit_does_not_hide_what_stands(app: Holdfast) -> None:
    await app.database.execute("create table effects (what text)")

    @app.task()
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute(EFFECT, "before")
            await tx.execute("commit; begin")
            with pytest.raises(asyncpg.DivisionByZeroError):
                await tx.execute("select 1 / 0")

    handle = await book.enqueue()
    async with working(app):
        job = await ended(handle)
    assert await effects(app) == ["before"]
    assert (job.state, (await said(app, job))[1]) == (State.DEAD, "TransactionEnded")


async def test_an_error_that_was_swallowed_undoes_all_and_says_so(app: Holdfast) -> None:
    await app.database.execute("create table effects (what text)")

    @app.task(max_failures=1)
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute(EFFECT, "before")
            with pytest.raises(asyncpg.DivisionByZeroError):
                await tx.execute("select 1 / 0")

    handle = await book.enqueue()
    async with working(app):
        job = await ended(handle)
    assert (job.state, await effects(app)) == (State.DEAD, [])
    assert (await said(app, job))[:2] == ("transient", "DatabaseError")


async def test_savepoints_belong_to_the_transaction(app: Holdfast) -> None:
    async def savepoints(tx: JobTransaction) -> None:
        inner = tx.connection.transaction()
        await inner.start()
        await tx.execute(EFFECT, "undone")
        await inner.rollback()
        async with tx.connection.transaction():
            await tx.execute(EFFECT, "inner")
        await tx.execute("savepoint mine")
        await tx.execute(EFFECT, "undone")
        await tx.execute("rollback to savepoint mine")

    job = await after(app, savepoints)
    assert job.state is State.COMPLETED
    assert await effects(app) == ["before", "inner", "later"]


async def test_a_connection_that_is_lost_undoes_all_and_the_next_attempt_completes(app: Holdfast) -> None:
    await app.database.execute("create table effects (what text)")

    @app.task(retry=["0s"])
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute(EFFECT, f"attempt {ctx.attempt}")
            if ctx.attempt == 1:
                pid = await tx.fetchval("select pg_backend_pid()")
                await app.database.execute("select pg_terminate_backend($1, 10000)", pid)

    handle = await book.enqueue()
    async with working(app):
        job = await ended(handle)
    assert (job.state, await effects(app)) == (State.COMPLETED, ["attempt 2"])


CONFLICTS = {"40001": "serialization_failure", "40P01": "deadlock_detected"}


@pytest.mark.parametrize("sqlstate", CONFLICTS)
@pytest.mark.parametrize("moment", ["statement", "commit"])
async def test_a_transaction_that_met_another_costs_no_failure(
    app: Holdfast, sqlstate: str, moment: str
) -> None:
    """The server raises it where a test says; the two tests below have real ones."""
    await app.database.execute("create table effects (what text)")
    await app.database.execute(
        f"create function meet() returns trigger language plpgsql as $$ begin"
        f" if new.what = 'attempt 1' then raise {CONFLICTS[sqlstate]}; end if; return null; end $$"
    )
    await app.database.execute(
        "create constraint trigger meets after insert on effects deferrable"
        f" initially {'deferred' if moment == 'commit' else 'immediate'}"
        " for each row execute function meet()"
    )

    @app.task(max_failures=1)
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute(EFFECT, f"attempt {ctx.attempt}")

    handle = await book.enqueue()
    async with working(app):
        job = await ended(handle)
    assert (job.state, job.failures, job.deferrals) == (State.COMPLETED, 0, 1)
    assert await effects(app) == ["attempt 2"]
    assert await attempts_of(app, job.id) == [("deferred", "system")]


async def test_a_real_serialization_failure_costs_no_failure(app: Holdfast) -> None:
    await app.database.execute("create table effects (what text)")
    await app.database.execute("insert into effects values ('old')")

    @app.task(max_failures=1)
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute("set transaction isolation level repeatable read")
            await tx.fetch("select from effects")
            if ctx.attempt == 1:
                await app.database.execute("update effects set what = 'changed'")
            await tx.execute("update effects set what = what || ' twice'")

    handle = await book.enqueue()
    async with working(app):
        job = await ended(handle)
    assert (job.state, job.failures, job.deferrals) == (State.COMPLETED, 0, 1)
    assert await effects(app) == ["changed twice"]


async def test_a_real_deadlock_costs_no_failure(app: Holdfast, database_url: str) -> None:
    await app.database.execute("create table effects (what text primary key, n integer)")
    await app.database.execute("insert into effects values ('a', 0), ('b', 0)")
    other = await asyncpg.connect(database_url)
    await other.execute("set deadlock_timeout = '1h'")  # it is the job's transaction that is ended

    async def cross() -> None:
        await other.execute("update effects set n = n + 10 where what = 'a'")
        await other.execute("commit")

    @app.task(max_failures=1)
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute("set local deadlock_timeout = '10ms'")
            await tx.execute("update effects set n = n + 1 where what = 'a'")
            if ctx.attempt == 1:
                await other.execute("begin")
                await other.execute("update effects set n = n + 10 where what = 'b'")
                crossing.append(asyncio.create_task(cross()))
            await tx.execute("update effects set n = n + 1 where what = 'b'")

    crossing: list[asyncio.Task[None]] = []
    handle = await book.enqueue()
    async with working(app):
        job = await ended(handle)
    await asyncio.gather(*crossing)
    await other.close()
    assert (job.state, job.failures, job.deferrals) == (State.COMPLETED, 0, 1)
    rows = await app.database.fetch("select n from effects order by what")
    assert [row["n"] for row in rows] == [11, 11]


async def test_a_conflict_that_is_met_each_time_ends_the_job_when_its_wait_is_too_long(
    app: Holdfast,
) -> None:
    await app.database.execute("create table effects (what text)")

    @app.task()
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction() as tx:
            await tx.execute("do $$ begin raise deadlock_detected; end $$")

    await app.database.execute("select holdfast.declare_queue('default', '{\"max_wait\": 1}')")
    handle = await book.enqueue()
    async with working(app):
        job = await ended(handle)
    assert (job.state, job.failures) == (State.DEAD, 0)
    assert job.deferrals > 1


async def test_a_worker_that_claims_once_leaves_after_a_job_that_completed_in_its_own_transaction(
    app: Holdfast,
) -> None:
    """Such a job leaves no end to be sent, and so nothing that would tell the worker that it is done."""

    @app.task()
    async def book(ctx: JobContext) -> None:
        async with ctx.transaction(output=1):
            await asyncio.sleep(0)

    handle = await book.enqueue()
    async with asyncio.timeout(PATIENCE):
        await Worker(app, ["default"], once=True).run()
    assert (await handle.job()).output == 1
