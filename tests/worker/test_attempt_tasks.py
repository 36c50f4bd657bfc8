"""Short attempts share a task, and none of them can tell."""

import asyncio
from collections import Counter
from contextvars import ContextVar

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.state import State
from tests.patience import PATIENCE
from tests.worker.working import counts, until, working

JOBS = 20
said: ContextVar[str] = ContextVar("said", default="nothing")


async def test_attempts_that_do_not_wait_share_a_task(app: Holdfast) -> None:
    tasks: Counter[object] = Counter()

    @app.task()
    async def short() -> None:
        tasks[asyncio.current_task()] += 1

    await short.enqueue_many([short.call() for _ in range(JOBS)])
    async with working(app, slots=JOBS):
        await until_completed(app)
    assert sum(tasks.values()) == JOBS
    assert len(tasks) < JOBS


async def test_attempts_that_wait_run_at_the_same_time(app: Holdfast) -> None:
    all_are_here = asyncio.Barrier(JOBS)
    tasks: set[object] = set()

    @app.task()
    async def meet() -> None:
        tasks.add(asyncio.current_task())
        await all_are_here.wait()
        tasks.add(asyncio.current_task())

    await meet.enqueue_many([meet.call() for _ in range(JOBS)])
    async with working(app, slots=JOBS):
        await until_completed(app)
    assert len(tasks) == JOBS


async def test_a_variable_of_the_context_is_unknown_to_the_next_attempt(app: Holdfast) -> None:
    heard: list[str] = []

    @app.task()
    async def whisper(n: int) -> None:
        heard.append(said.get())
        said.set(f"{n}")

    await whisper.enqueue_many([whisper.call(n=n) for n in range(JOBS)])
    async with working(app, slots=JOBS):
        await until_completed(app)
    assert heard == ["nothing"] * JOBS


async def test_an_attempt_that_cancels_its_own_task_harms_no_other(app: Holdfast) -> None:
    @app.task()
    async def restless(n: int) -> None:
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        if n % 2:
            task.cancel()
        elif n % 4:
            await asyncio.sleep(0)

    await restless.enqueue_many([restless.call(n=n) for n in range(JOBS)])
    async with working(app, slots=JOBS) as worker:
        await until_completed(app)
    assert worker.report.failed == 0


@pytest.mark.parametrize("is_in_time", [True, False])
async def test_a_timeout_of_a_handlers_own_ends_that_attempt_alone(app: Holdfast, is_in_time: bool) -> None:
    forever = asyncio.Event()

    @app.task(max_failures=1)
    async def bounded(n: int) -> str:
        try:
            async with asyncio.timeout(10 if is_in_time else 0.01):
                if n == JOBS // 2:
                    await (asyncio.sleep(0.01) if is_in_time else forever.wait())
        except TimeoutError:
            return "late"
        return "in time"

    handles = await bounded.enqueue_many([bounded.call(n=n) for n in range(JOBS)])
    async with working(app, slots=JOBS):
        found = Counter([await handle.result(timeout=PATIENCE) for handle in handles])
    assert found == ({"in time": JOBS} if is_in_time else {"in time": JOBS - 1, "late": 1})


async def test_an_attempt_that_fails_at_once_fails_alone(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def picky(n: int) -> None:
        if n % 2:
            raise SystemExit(n)

    await picky.enqueue_many([picky.call(n=n) for n in range(JOBS)])
    async with working(app, slots=JOBS):
        await until(lambda: are_ended(app))
    assert await counts(app) == {State.COMPLETED: JOBS // 2, State.DEAD: JOBS // 2}


async def until_completed(app: Holdfast) -> None:
    await until(lambda: are_ended(app))
    assert await counts(app) == {State.COMPLETED: JOBS}


async def are_ended(app: Holdfast) -> bool:
    return not {State.READY, State.RUNNING, State.SCHEDULED} & (await counts(app)).keys()
