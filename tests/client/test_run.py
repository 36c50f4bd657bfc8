"""Runs: sealed at the end of the block, waited for, cancelled, replayed."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.client.worker_plan import WorkerPlan
from holdfast.db import maintenance, runs
from holdfast.db.connect import Database
from holdfast.model.error import NotFound, Timeout, WrongState
from holdfast.model.outcome import Completed
from holdfast.model.run_progress import Which
from tests.client.working import DIES, end_all
from tests.patience import PATIENCE

Square = Task[[int], int]
# Ten jobs of about 11 s.
TIMES = """
insert into holdfast.end_counts (minute, queue, task, state, jobs, retried, wait_tens, run_tens)
values (date_trunc('minute', holdfast.now()), 'default', 'square', 'completed', 10, 0, '{}', '{"40": 10}')
"""


@pytest.fixture
def square(app: Holdfast) -> Square:
    @app.task()
    async def square(n: int) -> int:
        return n * n

    return square


async def test_a_run_is_sealed_at_the_end_of_its_block_and_ends_with_its_last_job(
    app: Holdfast, square: Square, db: Database
) -> None:
    async with app.run("squares", labels={"tenant": "a"}) as run:
        mine = square.options(run=run)
        await mine.enqueue(1)
        await mine.enqueue_many([square.call(2), square.call(3)])
        assert (await run.progress()).state == "open"
    progress = await run.progress()
    assert (progress.name, progress.state, progress.total, progress.ready) == ("squares", "sealed", 3, 3)
    with pytest.raises(Timeout):
        await run.wait(timeout="10ms")
    waiting = asyncio.create_task(run.wait(timeout=PATIENCE))
    assert await end_all(db, Completed()) == 3
    await maintenance.close_runs(db)
    ended = await waiting
    assert (ended.state, ended.completed) == ("ended", 3)
    assert {job.run for job in await app.jobs(run=run)} == {run.id}


async def test_a_job_is_enqueued_once_when_the_run_is_complete(
    app: Holdfast, square: Square, db: Database
) -> None:
    @app.task(queue="reports", priority=90)
    async def report(title: str) -> None: ...

    async with app.run("squares", on_complete=report.options(labels={"a": 1}).call("done")) as run:
        await square.options(run=run).enqueue(1)
    assert await app.jobs(task="report") == []
    await end_all(db, Completed())
    for _ in range(2):
        await maintenance.close_runs(db)
    (job,) = await app.jobs(task="report")
    assert (job.payload, job.queue, job.priority, job.labels) == ({"title": "done"}, "reports", 90, {"a": 1})


async def test_a_run_whose_block_raises_stays_open_and_the_error_says_so(
    app: Holdfast, square: Square
) -> None:
    run = app.run("squares")

    async def fill() -> None:
        async with run:
            await square.options(run=run).enqueue(1 // 0)

    with pytest.raises(ZeroDivisionError) as raised:
        await fill()
    assert f"{run.id} (squares) stays open" in raised.value.__notes__[0]
    again = app.find_run(run.id)
    assert (await again.progress()).state == "open"
    await again.seal()
    assert (await again.progress()).state == "ended"


async def test_no_job_joins_a_sealed_run(app: Holdfast, square: Square) -> None:
    async with app.run("squares") as run:
        await square.options(run=run).enqueue(1)
    with pytest.raises(WrongState, match="sealed"):
        await square.options(run=run).enqueue(2)


async def test_a_run_that_is_not_started_has_no_id(app: Holdfast, square: Square) -> None:
    with pytest.raises(WrongState, match="has not been started"):
        square.options(run=app.run("squares"))
    with pytest.raises(NotFound):
        await app.find_run(uuid4()).progress()


async def test_a_run_is_cancelled_with_its_live_jobs(app: Holdfast, square: Square, db: Database) -> None:
    async with app.run("squares") as run:
        await square.options(run=run).enqueue_many([square.call(n) for n in range(5)])
    assert await run.cancel("not wanted") == 5
    await maintenance.close_runs(db)
    assert (await run.wait(timeout=PATIENCE)).state == "cancelled"


async def test_a_job_that_others_hold_right_now_is_cancelled_with_its_run(
    app: Holdfast, square: Square, db: Database
) -> None:
    async with app.run("squares") as run:
        held = await square.options(run=run).enqueue(1)
        await square.options(run=run).enqueue(2)
    async with db.transaction() as conn:
        await conn.execute("select from holdfast.jobs where id = $1 for update", held.id)
        cancelling = asyncio.create_task(run.cancel())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(cancelling), 0.2)
    assert await cancelling == 2


async def test_the_dead_jobs_of_a_run_are_replayed(app: Holdfast, square: Square, db: Database) -> None:
    async with app.run("squares") as run:
        await square.options(run=run).enqueue_many([square.call(n) for n in range(4)])
    await end_all(db, DIES)
    await maintenance.close_runs(db)
    assert (await run.wait(timeout=PATIENCE)).dead == 4
    assert await run.replay(Which.DEAD, "the model is back") == 4
    assert (await run.progress()).ready == 4


async def test_a_run_says_what_and_who_caused_it(app: Holdfast, square: Square, db: Database) -> None:
    async with app.run("squares", origin="import", actor="Ada", on_complete=square.call(1)) as run:
        pass
    (listed,) = await runs.list_runs(db)
    assert (listed.origin, listed.login, listed.claimed_actor) == ("import", "holdfast", "Ada")
    await maintenance.close_runs(db)
    (last,) = await app.jobs(origin="import")
    assert (await run.progress()).state == "ended"
    assert last.claimed_actor == "Ada"


async def test_a_run_has_a_forecast_before_its_first_end(app: Holdfast, square: Square, db: Database) -> None:
    """Before its workers have started: on the slots of its plan."""
    plan = WorkerPlan(_ignored, most=5, slots=2)
    async with app.run("squares", workers=plan) as run:
        await square.options(run=run).enqueue_many([square.call(n) for n in range(100)])
        before = await run.forecast()
        assert (before.jobs, before.eta, before.reason) == (
            100,
            None,
            "no run time of the queue default is known",
        )
        assert str(before) == "no forecast: no run time of the queue default is known"
        await db.execute(TIMES)
        planned = await run.forecast()
        assert (planned.slots, planned.reason) == (10, None)
        assert re.fullmatch(r"about 11\d s \(11\d s to 2 min\) on 10 slots", str(planned))
        alone = await run.forecast(slots=1)
        assert (alone.slots, alone.eta) == (1, planned.eta and 10 * planned.eta)
    with pytest.raises(NotFound):
        await app.find_run(uuid4()).forecast()


async def _ignored(body: Mapping[str, Any]) -> None:
    """A platform that starts no worker."""
