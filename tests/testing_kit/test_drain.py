"""Drain runs what is enqueued with a real worker, until nothing is left."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from holdfast import Holdfast, JobContext, JobFailed, Permanent
from holdfast.model.state import State
from holdfast.testing import assert_state, count_by_state, drain, install_fake_clock
from tests.patience import PATIENCE


@dataclass
class Sum:
    total: int
    at: datetime


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url) as opened:
        yield opened


async def test_jobs_behind_others_that_the_app_cannot_run_are_done(app: Holdfast) -> None:
    @app.task()
    async def known() -> None:
        pass

    # More than a worker has slots for.
    await app.database.execute(
        "select holdfast.enqueue_jobs(array['nobody_knows'], array_fill('{}'::json, array[500]))"
    )
    handle = await known.enqueue()
    await drain(app)
    await assert_state(app.database, handle, State.COMPLETED)


async def test_jobs_of_all_queues_run_and_their_children_too(app: Holdfast) -> None:
    ran: list[str] = []

    @app.task(queue="first")
    async def first(name: str) -> str:
        ran.append(name)
        await second.enqueue(name=f"{name} again")
        return name.upper()

    @app.task(queue="second")
    def second(name: str) -> None:
        ran.append(name)

    handle = await first.enqueue("ada")
    await drain(app)
    assert ran == ["ada", "ada again"]
    assert await handle.result(timeout=PATIENCE) == "ADA"
    assert await count_by_state(app.database) == {State.COMPLETED: 2}


async def test_a_handler_in_a_thread_enqueues_too(app: Holdfast) -> None:
    @app.task(queue="first")
    def first(n: int) -> None:
        if n:
            first.enqueue_sync(n - 1)

    await first.enqueue(2)
    await drain(app)
    assert await count_by_state(app.database) == {State.COMPLETED: 3}


async def test_the_last_job_of_a_run_is_drained_too(app: Holdfast) -> None:
    @app.task()
    async def square(n: int) -> int:
        return n * n

    @app.task()
    async def report(title: str) -> None: ...

    async with app.run("squares", on_complete=report.call("done")) as run:
        await square.options(run=run).enqueue_many([square.call(n) for n in range(120)])
    done = await drain(app)
    assert (done.processed, done.failed) == (121, 0)
    assert (await run.progress()).state == "ended"


WAITS = """
select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')
"""


async def test_a_run_that_another_session_has_locked_is_waited_for(app: Holdfast, database_url: str) -> None:
    """As the session of a maintenance task has it, for a moment after its worker has left."""
    holder, watcher = await asyncpg.connect(database_url), await asyncpg.connect(database_url)

    @app.task()
    async def last() -> None:
        await holder.execute("begin; select from holdfast.runs for update")

    @app.task()
    async def report() -> None: ...

    async with app.run("one", on_complete=report.call()) as run:
        await last.options(run=run).enqueue()
    draining = asyncio.create_task(drain(app))
    while not await watcher.fetchval(WAITS):
        assert not draining.done(), "it did not wait"
        await asyncio.sleep(0.01)
    await holder.execute("rollback")
    assert (await draining).processed == 2
    await holder.close()
    await watcher.close()


async def test_a_paused_queue_and_a_later_job_are_left_alone(app: Holdfast) -> None:
    @app.task()
    async def now() -> None: ...

    @app.task(queue="paused")
    async def never() -> None: ...

    await app.declare()
    await app.pause_queue("paused")
    await never.enqueue()
    await now.enqueue()
    await now.options(delay="1h").enqueue()
    assert (await drain(app)).processed == 1
    assert await count_by_state(app.database) == {State.COMPLETED: 1, State.READY: 1, State.SCHEDULED: 1}


async def test_a_retry_runs_when_the_fake_clock_has_reached_it(app: Holdfast) -> None:
    clock = await install_fake_clock(app.database)
    tries: list[datetime] = []

    @app.task(retry=["10m"])
    async def flaky() -> int:
        tries.append(await clock.now())
        if len(tries) == 1:
            raise ConnectionError("try later")
        return len(tries)

    handle = await flaky.enqueue()
    await drain(app)
    await assert_state(app.database, handle, State.SCHEDULED)
    await clock.advance("9m")
    await drain(app)
    await assert_state(app.database, handle, State.SCHEDULED)
    await clock.advance("1m")
    await drain(app)
    assert await handle.result(timeout=PATIENCE) == 2
    assert tries[1] - tries[0] == timedelta(minutes=10)


async def test_only_the_queues_asked_for_are_drained(app: Holdfast) -> None:
    @app.task(queue="first")
    async def first() -> None: ...

    @app.task(queue="second")
    async def second() -> None: ...

    await first.enqueue()
    await second.enqueue()
    await drain(app, ["first"])
    assert await count_by_state(app.database) == {State.COMPLETED: 1, State.READY: 1}


async def test_models_and_the_context_reach_the_handler_and_the_output_comes_back(app: Holdfast) -> None:
    @app.task()
    async def add(job: JobContext, numbers: list[Sum], at: datetime) -> list[Sum]:
        assert job.attempt == 1
        return [Sum(sum(one.total for one in numbers), at)]

    at = datetime(2026, 1, 2, tzinfo=UTC)
    handle = await add.enqueue([Sum(1, at), Sum(2, at)], at=at)
    await drain(app)
    assert await handle.result(timeout=PATIENCE) == [Sum(3, at)]


async def test_a_handler_that_gives_up_leaves_a_dead_job_with_its_error(app: Holdfast) -> None:
    @app.task()
    async def ask() -> None:
        raise Permanent("the model is gone")

    handle = await ask.enqueue()
    await drain(app)
    with pytest.raises(JobFailed, match="the model is gone") as failed:
        await handle.result(timeout=PATIENCE)
    assert failed.value.state is State.DEAD
