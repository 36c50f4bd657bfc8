"""How a worker leaves: told once, told twice, when the queues are empty, after one claim."""

import asyncio
import threading
from datetime import timedelta
from typing import Any, cast

import pytest

from holdfast.client.app import Holdfast
from holdfast.db.worker_list import drain_workers, get_worker, list_workers
from holdfast.model.error import InvalidOption
from holdfast.model.state import State
from holdfast.worker.shutdown import remaining_jobs
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.worker.working import attempts_of, counts, in_state, until, working


async def test_a_worker_that_is_told_to_stop_finishes_what_runs_and_claims_nothing_more(
    app: Holdfast,
) -> None:
    go = asyncio.Event()

    @app.task()
    async def work(n: int) -> int:
        await go.wait()
        return n

    handles = await work.enqueue_many([work.call(n) for n in range(3)])
    worker = Worker(app, ["default"], slots=2)
    running = asyncio.create_task(worker.run())
    await until(lambda: two_run(app))
    worker.stop()
    await until(lambda: is_draining(worker))
    go.set()
    async with asyncio.timeout(PATIENCE):
        report = await running
    assert await counts(app) == {"completed": 2, "ready": 1}
    assert (report.processed, report.unsettled) == (2, 0)
    assert (await handles[2].job()).attempt == 0


async def test_what_does_not_finish_within_the_grace_is_released_uncharged(app: Holdfast) -> None:
    @app.task()
    async def endless() -> None:
        await asyncio.Event().wait()

    handle = await endless.enqueue()
    worker = Worker(app, ["default"], grace=timedelta(milliseconds=100))
    running = asyncio.create_task(worker.run())
    await until(in_state(handle, State.RUNNING))
    worker.stop()
    async with asyncio.timeout(PATIENCE):
        await running
    job = await handle.job()
    assert (job.state, job.failures, job.losses, job.deferrals) == (State.READY, 0, 0, 1)
    assert await attempts_of(app, handle.id) == []
    assert [row.state for row in await list_workers(app.database)] == ["stopped"]


async def test_a_second_stop_does_not_wait_for_the_grace(app: Holdfast) -> None:
    @app.task()
    async def endless() -> None:
        await asyncio.Event().wait()

    handle = await endless.enqueue()
    worker = Worker(app, ["default"], grace=timedelta(hours=1))
    running = asyncio.create_task(worker.run())
    await until(in_state(handle, State.RUNNING))
    worker.stop()
    worker.stop()
    async with asyncio.timeout(PATIENCE):
        await running
    assert (await handle.job()).state is State.READY


async def test_handlers_that_do_not_obey_are_released_and_fenced(app: Holdfast) -> None:
    """One swallows every cancel, one is a thread that never returns: neither keeps the worker."""
    release = threading.Event()

    @app.task()
    async def deaf() -> None:
        while not release.is_set():
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue

    @app.task()
    def stuck() -> None:
        release.wait(PATIENCE)

    handles = [await deaf.enqueue(), await stuck.enqueue()]
    worker = Worker(app, ["default"], grace=timedelta(milliseconds=100))
    running = asyncio.create_task(worker.run())
    for handle in handles:
        await until(in_state(handle, State.RUNNING))
    worker.stop()
    async with asyncio.timeout(PATIENCE):
        await running
    assert [(await handle.job()).state for handle in handles] == [State.READY, State.READY]
    release.set()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


async def test_a_draining_worker_leaves_when_nothing_is_left_to_do(app: Holdfast) -> None:
    @app.task(retry=["100ms"])
    async def work(n: int) -> int:
        if n == 1 and not failed:
            failed.append(1)
            raise ValueError("once")
        return n

    failed: list[int] = []
    await work.enqueue_many([work.call(n) for n in range(5)])
    await work.options(delay="200ms").enqueue(7)
    report = await Worker(app, ["default"], drain=True).run()
    assert await counts(app) == {"completed": 6}
    assert (report.processed, report.failed) == (7, 1)


async def test_a_draining_worker_waits_for_the_last_job_of_a_run(app: Holdfast) -> None:
    @app.task()
    async def part() -> int:
        return 1

    @app.task()
    async def last() -> int:
        return 2

    async with app.run("r", on_complete=last.call()) as run:
        await part.options(run=run).enqueue_many([part.call() for _ in range(3)])
    await Worker(app, ["default"], drain=True).run()
    assert await counts(app) == {"completed": 4}


async def test_a_draining_worker_leaves_at_once_if_there_is_nothing(app: Holdfast) -> None:
    report = await Worker(app, ["default"], drain=True).run()
    assert report.processed == 0


async def test_a_draining_worker_leaves_what_it_cannot_run_and_what_is_due_later(app: Holdfast) -> None:
    @app.task(retry=["1h"])
    async def work(n: int) -> int:
        if n == 1:
            raise ValueError("try in an hour")
        return n

    await app.database.execute("select holdfast.enqueue('nobody_knows')")
    await work.enqueue_many([work.call(n) for n in range(3)])
    await work.options(delay="1h").enqueue(7)
    async with asyncio.timeout(PATIENCE):
        report = await Worker(app, ["default"], drain=True).run()
    assert (report.processed, report.failed, report.unknown) == (3, 1, 1)
    assert await counts(app) == {"completed": 2, "scheduled": 3}


async def test_a_draining_worker_says_what_it_waits_for(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(remaining_jobs, "TELL_EVERY", timedelta(milliseconds=50))
    go = asyncio.Event()

    @app.task()
    async def work() -> None:
        await go.wait()

    @app.task(endpoint="model")
    async def ask() -> None:
        pass

    app.endpoint("model")
    await app.declare()
    await app.database.execute("select holdfast.open_endpoint('model', 'maintenance')")
    await app.enqueue_many([work.call(), ask.call(), ask.call()])
    caplog.set_level("INFO", "holdfast")
    running = asyncio.create_task(Worker(app, ["default"], drain=True).run())

    async def told() -> bool:
        said = "jobs=2 ready of ask in default, 1 running of work in default"
        return any(record.getMessage().endswith(said) for record in caplog.records)

    await until(told)
    go.set()
    await app.database.execute("select holdfast.close_endpoint('model', 'over')")
    async with asyncio.timeout(PATIENCE):
        await running
    assert await counts(app) == {"completed": 3}


async def test_once_claims_once_and_finishes_that(app: Holdfast) -> None:
    @app.task()
    async def work(n: int) -> int:
        await asyncio.sleep(0.05)
        return n

    await work.enqueue_many([work.call(n) for n in range(5)])
    report = await Worker(app, ["default"], slots=3, once=True).run()
    assert report.processed == 3
    assert await counts(app) == {"completed": 3, "ready": 2}


async def test_once_leaves_if_there_is_nothing_to_claim(app: Holdfast) -> None:
    assert (await Worker(app, ["default"], once=True).run()).processed == 0


@pytest.mark.parametrize(
    "options",
    [{"queues": []}, {"queues": "default"}, {"slots": 0}, {"lease": timedelta(milliseconds=10)}],
)
def test_options_that_cannot_be_right_are_refused_with_what_to_do(
    options: dict[str, object],
) -> None:
    with pytest.raises(InvalidOption) as caught:
        Worker(Holdfast(), **cast("Any", {"queues": ["default"], **options}))
    assert caught.value.hint


async def test_a_stop_during_the_staggered_start_is_obeyed(app: Holdfast) -> None:
    worker = Worker(app, ["default"], stagger=timedelta(hours=1))
    running = asyncio.create_task(worker.run())
    await asyncio.sleep(0)
    worker.stop()
    async with asyncio.timeout(PATIENCE):
        await running


async def two_run(app: Holdfast) -> bool:
    return (await counts(app)).get("running") == 2


async def is_draining(worker: Worker) -> bool:
    return worker._stopping.is_asked


async def ways(app: Holdfast) -> dict[str, int]:
    """How workers left, by left_workers."""
    names = ("stopped", "drained", "done", "time_box", "lost")
    (row,) = await app.metrics.left_workers()
    assert row.workers == sum(getattr(row, name) for name in names)
    return {name: getattr(row, name) for name in names if getattr(row, name)}


async def test_a_worker_that_is_told_to_stop_left_as_stopped(app: Holdfast) -> None:
    async with working(app) as worker:
        await until(lambda: is_registered(app, worker))
    assert await ways(app) == {"stopped": 1}


async def test_a_worker_that_found_no_more_work_left_as_done(app: Holdfast) -> None:
    await Worker(app, ["default"], drain=True).run()
    await Worker(app, ["default"], once=True).run()
    assert await ways(app) == {"done": 2}


async def test_a_worker_whose_time_was_over_left_by_its_time_box(app: Holdfast) -> None:
    @app.task()
    async def endless() -> None:
        await asyncio.Event().wait()

    await endless.enqueue()
    await app.work(time_box="1s", margin="0.8s")
    assert await ways(app) == {"time_box": 1}


async def test_a_worker_that_an_operator_drained_left_as_drained(app: Holdfast) -> None:
    worker = Worker(app, ["default"], lease=timedelta(seconds=1))
    running = asyncio.create_task(worker.run())
    await until(lambda: is_registered(app, worker))
    await drain_workers(app.database, [worker.id], None, "update", "Ada")
    async with asyncio.timeout(PATIENCE):
        await running
    assert await ways(app) == {"drained": 1}


async def is_registered(app: Holdfast, worker: Worker) -> bool:
    return await get_worker(app.database, worker.id) is not None
