"""Workers with time boxes follow each other until all is done: by a function, a POST or a command."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from holdfast import WorkerPlan
from holdfast.client.app import Holdfast
from holdfast.db import continuations
from holdfast.db.worker import claim_jobs, register_worker, stop_worker
from holdfast.db.worker_list import drain_workers, list_workers
from holdfast.model.error import NotFound
from holdfast.model.id import WorkerId
from holdfast.worker.worker_report import WorkStatus
from tests.patience import PATIENCE
from tests.worker.working import SHORT, counts, until

pytestmark = pytest.mark.alone

Body = Mapping[str, Any]


class Platform:
    """Starts a worker in this process for each body that it is told."""

    def __init__(self, app: Holdfast, **options: Any) -> None:
        self.bodies: list[Body] = []
        self.lose = 0
        self._app = app
        self._options = options
        self._tasks: set[asyncio.Task[Any]] = set()

    def __call__(self, body: Body) -> None:
        self.bodies.append(body)
        if self.lose:
            self.lose -= 1
            return
        self._tasks.add(asyncio.create_task(self.work(continuation=body)))

    async def work(self, **options: Any) -> Any:
        given = {"time_box": "2s", "margin": "800ms", "sweep": SHORT, "continue_after": "10ms"}
        return await self._app.work(**{**given, "continue_by": self, **self._options, **options})

    async def all_left(self) -> None:
        while pending := [task for task in self._tasks if not task.done()]:
            await asyncio.wait(pending)
        for task in self._tasks:
            await task


@asynccontextmanager
async def platform(app: Holdfast, **options: Any) -> AsyncIterator[Platform]:
    made = Platform(app, **options)
    async with asyncio.timeout(PATIENCE):
        yield made
        await made.all_left()


@pytest.mark.slow
async def test_a_chain_of_workers_finishes_what_none_of_them_could(app: Holdfast) -> None:
    @app.task()
    async def slow() -> None:
        await asyncio.sleep(0.3)

    await slow.enqueue_many([slow.call() for _ in range(9)])
    async with platform(app, slots=1) as host:
        first = await host.work()
        assert first.status is WorkStatus.OUT_OF_TIME
        assert first.continuation == host.bodies[0]["continuation"]
    assert await counts(app) == {"completed": 9}
    assert len(host.bodies) >= 2, "each did a few"
    assert [body["index"] for body in host.bodies] == list(range(1, len(host.bodies) + 1))
    remaining = [body["remaining"] for body in host.bodies]
    assert remaining == sorted(remaining, reverse=True)
    done = [body["checkpoint"]["processed"] for body in host.bodies]
    assert done == [9 - left for left in remaining], "the counts of the whole chain go along"


async def test_a_successor_that_never_comes_is_requested_again_by_another_worker(app: Holdfast) -> None:
    async def taken() -> bool:
        rows = await app.database.fetch("select from holdfast.continuation_view where state = 'taken'")
        return bool(rows)

    @app.task()
    async def work() -> None:
        await until(taken)  # the only slot of the worker, so that it cannot do the second job itself

    await work.enqueue_many([work.call() for _ in range(2)])
    worker = WorkerId(uuid4())
    await register_worker(app.database, worker, ["default"], {"time_box": 5, "continues": True})
    lost = await continuations.request_continuation(app.database, worker, {"delay": 0})
    await stop_worker(app.database, worker)
    async with platform(app, slots=1, time_box="30s", patience=timedelta(milliseconds=10)) as host:
        await host.work()
    assert {body["continuation"] for body in host.bodies} == {str(lost.continuation)}
    assert await counts(app) == {"completed": 2}


@pytest.mark.slow
async def test_the_maintenance_task_starts_the_successor_of_a_worker_that_was_killed(app: Holdfast) -> None:
    """It is registered, holds jobs of a run, and is never heard of again."""

    @app.task()
    async def work() -> None:
        await asyncio.sleep(1)

    async with app.run("r") as run:
        await work.options(run=run).enqueue_many([work.call() for _ in range(6)])
    dead = WorkerId(uuid4())
    info = {"lease": 1, "time_box": 5, "continues": True, "run": str(run.id), "index": 3}
    await register_worker(app.database, dead, ["default"], info)
    assert len(await claim_jobs(app.database, dead, 2)) == 2
    async with platform(app, slots=1, time_box="30s") as host:
        await host.work(run=run)
        assert [(body["cause"], body["run"], body["index"]) for body in host.bodies] == [
            ("rescue", str(run.id), 4)
        ]
    assert await counts(app) == {"completed": 6}


@pytest.mark.slow
async def test_many_workers_that_end_at_once_have_one_successor_each(app: Holdfast) -> None:
    @app.task()
    async def endless() -> None:
        await asyncio.Event().wait()

    await endless.enqueue_many([endless.call() for _ in range(40)])
    async with platform(app, slots=2, claim_size=1) as host:
        host.lose = 1000
        reports = await asyncio.gather(*(host.work(time_box="6s", margin="4s") for _ in range(8)))
    assert all(report.status is WorkStatus.OUT_OF_TIME for report in reports)
    asked = [report.continuation for report in reports if report.continuation]
    assert len(asked) == len({*asked}) == len({body["continuation"] for body in host.bodies}) == 8
    assert await counts(app) == {"ready": 40}


async def test_a_continuation_is_taken_once_and_the_second_leaves_at_once(app: Holdfast) -> None:
    @app.task()
    async def work() -> None: ...

    await work.enqueue()
    worker = WorkerId(uuid4())
    await register_worker(app.database, worker, ["default"], {"time_box": 5, "continues": True})
    asked = await continuations.request_continuation(app.database, worker, {"delay": 0})
    await stop_worker(app.database, worker)
    first = await app.work(time_box="30s", continuation=asked.body)
    second = await app.work(time_box="30s", continuation=str(asked.continuation))
    assert (first.status, second.status) == (WorkStatus.DONE, WorkStatus.NO_WORK)
    with pytest.raises(NotFound):
        await app.work(time_box="30s", continuation=uuid4())


async def test_a_successor_claims_nothing_before_its_delay_is_over(app: Holdfast) -> None:
    started: list[float] = []

    @app.task()
    async def work() -> None:
        started.append(asyncio.get_running_loop().time())

    await work.enqueue()
    worker = WorkerId(uuid4())
    await register_worker(app.database, worker, ["default"], {"time_box": 5, "continues": True})
    asked = await continuations.request_continuation(app.database, worker, {"delay": 1.5})
    began = asyncio.get_running_loop().time()
    await app.work(time_box="30s", continuation=asked.body)
    assert started[0] - began > 1.2


async def test_a_run_starts_its_workers_by_plan(app: Holdfast) -> None:
    @app.task()
    async def work() -> None: ...

    async with platform(app) as host:
        plan = WorkerPlan(host, most=3, claim_size=2, apart="10ms")
        async with app.run("analysis", workers=plan) as run:
            await work.options(run=run).enqueue_many([work.call() for _ in range(5)])
        assert [body["index"] for body in host.bodies[:3]] == [0, 1, 2]
        assert (await run.wait("30s")).completed == 5
    assert {body["cause"] for body in host.bodies[:3]} == {"run"}


async def test_a_callback_that_fails_is_noted_and_tried_again(app: Holdfast) -> None:
    @app.task()
    async def work() -> None: ...

    calls: list[Body] = []

    def refuse(body: Body) -> None:
        calls.append(body)
        raise RuntimeError("no machine is free")

    async with app.run("r", workers=WorkerPlan(refuse, most=1)) as run:
        await work.options(run=run).enqueue()
    (row,) = await app.database.fetch("select state, error from holdfast.continuation_view")
    assert row["state"] == "asked"
    assert "no machine is free" in row["error"]
    again = await continuations.lost_continuations(app.database, ["default"], None, timedelta(hours=1))
    assert [body["continuation"] for body in again] == [calls[0]["continuation"]]


async def test_a_worker_that_an_operator_drains_leaves_without_a_successor(app: Holdfast) -> None:
    @app.task()
    async def work() -> None:
        await asyncio.sleep(0.05)

    await work.enqueue_many([work.call() for _ in range(400)])
    async with platform(app, slots=1, lease="1s", time_box="30s", margin="2s") as host:
        working = asyncio.create_task(host.work())

        async def drained() -> bool:
            everybody = [worker.id for worker in await list_workers(app.database)]
            return bool(await drain_workers(app.database, everybody, None, "a new version", "Ada"))

        await until(drained)
        report = await working
    assert (report.status, report.continuation, host.bodies) == (WorkStatus.OUT_OF_TIME, None, [])
