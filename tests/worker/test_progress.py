"""However often handlers report, few statements carry it, and the last report is stored."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from holdfast import Holdfast, JobContext, LeaseLost, Retry, Snooze
from holdfast.db.worker import report_progress, settle_and_claim
from holdfast.model.error import DatabaseUnavailable
from holdfast.model.state import State
from holdfast.worker.progress import progress_reports
from tests.worker import progress_tasks
from tests.worker.working import ended, until, working

HALF_SECOND = 0.5
# Counted by the database: each statement that writes progress, whoever sends it.
COUNTING = """
create table progress_writes (at timestamptz);
create function count_write() returns trigger language plpgsql security definer set search_path = public as $$
begin
  insert into progress_writes values (clock_timestamp());
  return null;
end $$;
create trigger count_write after insert on holdfast.progress
  for each statement execute function count_write();
"""
TAKE_AWAY = "update holdfast.jobs set token = gen_random_uuid() where id = $1"


async def writes(app: Holdfast) -> int:
    (row,) = await app.database.fetch("select count(*) as n from progress_writes")
    return int(row["n"])


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of reports in each statement that reported progress."""
    calls: list[int] = []

    async def counted(on: Any, ids: Any, tokens: Any, reports: Any) -> Any:
        calls.append(len(ids))
        return await report_progress(on, ids, tokens, reports)

    monkeypatch.setattr(progress_reports, "report_progress", counted)
    return calls


@contextmanager
def few(calls: list[int]) -> Iterator[None]:
    """No more statements during the block than one at its start and one in each half second of it."""
    began, before = time.monotonic(), len(calls)
    yield
    assert len(calls) - before <= 1 + (time.monotonic() - began) / HALF_SECOND


async def test_thousands_of_reports_of_many_jobs_cost_one_statement_in_half_a_second(
    app: Holdfast, sent: list[int]
) -> None:
    await app.database.execute(COUNTING)
    most, jobs = 500, 10

    @app.task()
    async def work(ctx: JobContext) -> None:
        for done in range(1, most + 1):
            await ctx.progress(done, most, item=f"page {done}")

    with few(sent):
        handles = [await work.enqueue() for _ in range(jobs)]
        async with working(app, slots=jobs):
            for handle in handles:
                await ended(handle)
    for handle in handles:
        progress = await handle.progress()
        assert progress is not None
        assert (progress.done, progress.total, progress.item) == (most, most, f"page {most}")
    # Beside the statements above only those that settled the jobs, which are sent in any case.
    assert await writes(app) <= len(sent) + jobs


async def test_a_running_job_shows_what_it_reported_and_is_reported_seldom(
    app: Holdfast, sent: list[int]
) -> None:
    go = asyncio.Event()

    @app.task()
    async def work(ctx: JobContext) -> None:
        done = 0
        while not go.is_set():
            done += 1
            await ctx.progress(done)

    handle = await work.enqueue()
    with few(sent):
        async with working(app):

            async def has_moved_on() -> bool:
                progress = await handle.progress()
                return progress is not None and progress.rate is not None

            await until(has_moved_on)
            assert await handle.status() is State.RUNNING
            assert len(sent) >= 2
            go.set()
            await ended(handle)


async def test_jobs_that_report_nothing_cost_no_statement(app: Holdfast, sent: list[int]) -> None:
    @app.task()
    async def quiet(ctx: JobContext) -> None:
        return None

    handles = [await quiet.enqueue() for _ in range(20)]
    async with working(app):
        for handle in handles:
            await ended(handle)
    assert sent == []


@pytest.mark.parametrize("how", ["return", "fail", "snooze", "transaction"])
async def test_the_last_report_is_stored_however_soon_the_attempt_ends(app: Holdfast, how: str) -> None:
    """No statement of its own carries it: it goes with the end."""

    @app.task(max_failures=1)
    async def work(ctx: JobContext) -> None:
        await ctx.progress(1, 3)
        await ctx.progress(2, failed=1, error=ValueError("page 2 is empty"))
        match how:
            case "fail":
                raise Retry("again")
            case "snooze":
                raise Snooze("1h")
            case "transaction":
                async with ctx.transaction() as tx:
                    await tx.execute("select 1")
            case _:
                pass

    handle = await work.enqueue()
    async with working(app):

        async def has_ended() -> bool:
            return await handle.status() not in (State.READY, State.RUNNING)

        await until(has_ended)
    progress = await handle.progress()
    assert progress is not None
    assert (progress.done, progress.total, progress.failed) == (2, 3, 1)
    assert [one.error for one in progress.errors] == ["ValueError: page 2 is empty"]


async def test_a_report_whose_statement_has_no_answer_yet_goes_with_the_end(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end may overtake the statement, which then finds that the token is gone."""
    reported, settled = asyncio.Event(), asyncio.Event()

    async def late(on: Any, ids: Any, tokens: Any, reports: Any) -> Any:
        reported.set()
        await settled.wait()
        return await report_progress(on, ids, tokens, reports)

    async def noticed(on: Any, me: Any, n: int, ids: Any, *more: Any) -> Any:
        answer = await settle_and_claim(on, me, n, ids, *more)
        if ids:
            settled.set()
        return answer

    monkeypatch.setattr(progress_reports, "report_progress", late)
    monkeypatch.setattr("holdfast.worker.settle.settle_loop.settle_and_claim", noticed)

    @app.task()
    async def work(ctx: JobContext) -> None:
        await ctx.progress(7, 7)
        await reported.wait()

    handle = await work.enqueue()
    async with working(app):
        await ended(handle)
    progress = await handle.progress()
    assert progress is not None
    assert progress.done == 7


async def test_reports_survive_an_outage(app: Holdfast, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer of the first statement is lost: what it carried is sent again."""
    tries: list[int] = []

    async def flaky(on: Any, ids: Any, tokens: Any, reports: Any) -> Any:
        answer = await report_progress(on, ids, tokens, reports)
        tries.append(len(ids))
        if len(tries) == 1:
            raise DatabaseUnavailable("gone")
        return answer

    monkeypatch.setattr(progress_reports, "report_progress", flaky)
    go = asyncio.Event()

    @app.task()
    async def work(ctx: JobContext) -> None:
        await ctx.progress(1, error="once")
        await go.wait()

    handle = await work.enqueue()
    async with working(app):

        async def is_sent_again() -> bool:
            return len(tries) >= 2

        await until(is_sent_again)
        go.set()
        await ended(handle)
    progress = await handle.progress()
    assert progress is not None
    assert [one.error for one in progress.errors] == ["once"]


async def test_a_handler_learns_from_its_next_report_that_the_job_was_taken_away(app: Holdfast) -> None:
    raised: list[int] = []

    @app.task()
    async def zombie(ctx: JobContext) -> None:
        await app.database.execute(TAKE_AWAY, ctx.id)
        done = 0
        while True:
            done += 1
            try:
                await ctx.progress(done)
            except LeaseLost:
                raised.append(done)
                raise

    handle = await zombie.enqueue()
    async with working(app):

        async def has_noticed() -> bool:
            return bool(raised)

        await until(has_noticed)
    assert raised[0] > 1
    assert await handle.progress() is None


async def test_a_child_process_reports_through_its_worker(
    database_url: str, monkeypatch: pytest.MonkeyPatch, sent: list[int]
) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    async with progress_tasks.app as app:
        handle = await progress_tasks.in_process.enqueue(1000)
        with few(sent):
            async with working(app):
                assert (await ended(handle)).output == "done must not be more than total (got 2 of 1)."
        progress = await handle.progress()
    assert progress is not None
    assert (progress.done, progress.total, progress.failed, progress.item) == (1000, 1000, 1, "page 1000")
    assert [(one.item, one.error) for one in progress.errors] == [("page 1000", "ValueError: it is empty")]
