"""Limits, fallbacks, budgets and refusals as an app meets them."""

import asyncio
from collections import Counter

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.error import InvalidInput
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.worker.test_endpoints import refused
from tests.worker.working import attempts_of, ended, until, working


async def test_queue_and_task_run_no_more_than_they_may_in_several_workers(app: Holdfast) -> None:
    app.queue("a", max_concurrent=3)
    now, most = Counter[str](), Counter[str]()

    async def busy(name: str) -> None:
        now[name] += 1
        most[name] = max(most[name], now[name])
        await asyncio.sleep(0.02)
        now[name] -= 1

    @app.task(queue="a")
    async def light() -> None:
        await busy("a")

    @app.task(queue="b", max_concurrent=2, rate="1000/second")
    async def heavy() -> None:
        await busy("heavy")

    await app.declare()
    handles = await app.enqueue_many([light.call() for _ in range(30)] + [heavy.call() for _ in range(20)])
    async with working(app, "a", "b"), working(app, "a", "b"):
        for handle in handles:
            await ended(handle)
    assert most == {"a": 3, "heavy": 2}, "not more, and not less either"


async def test_a_handler_sees_which_endpoint_to_call(app: Holdfast) -> None:
    app.endpoint("small", mode="fixed", max=4)
    app.endpoint("big", mode="fixed", max=4, fallback="small")

    @app.task(endpoint="big")
    async def ask(job: JobContext) -> str | None:
        return job.endpoint

    @app.task()
    def alone(job: JobContext) -> str | None:
        return job.endpoint

    await app.declare()
    async with working(app):
        assert await (await ask.enqueue()).result(timeout=PATIENCE) == "big"
        await app.database.execute("select holdfast.open_endpoint('big')")
        assert await (await ask.enqueue()).result(timeout=PATIENCE) == "small"
        assert await (await alone.enqueue()).result(timeout=PATIENCE) is None


async def test_a_run_stops_at_its_budget_and_goes_on_when_it_is_raised(app: Holdfast) -> None:
    app.endpoint("model", mode="fixed", max=4, price=0.01, estimate=100)

    @app.task(endpoint="model")
    async def ask(job: JobContext) -> None:
        job.units(100)

    await app.declare()
    async with app.run("import", budget="5 USD") as run:
        await app.enqueue_many([ask.options(run=run).call() for _ in range(8)])
    await Worker(app, ["default"], drain=True).run()
    progress = await run.progress()
    assert (progress.completed, progress.waiting) == (5, 3)
    assert await run.raise_budget(8, reason="worth it") == 3
    await Worker(app, ["default"], drain=True).run()
    assert (await run.wait(timeout=PATIENCE)).completed == 8
    with pytest.raises(InvalidInput):
        await run.raise_budget(2)


async def test_a_key_that_stops_working_kills_nothing(app: Holdfast) -> None:
    app.endpoint("model", mode="fixed", max=4, pause="100ms")
    answers = [200, 401, 200]

    @app.task(endpoint="model", max_failures=1)
    async def ask() -> None:
        if (status := answers.pop(0)) != 200:
            raise refused(status)

    await app.declare()
    async with working(app):
        await ended(await ask.enqueue())
        handle = await ask.enqueue()
        assert await until(lambda: attempts_of(app, handle.id)) == [("deferred", "system")]
        await app.database.execute("update holdfast.jobs set due_at = now() where state = 'scheduled'")
        assert (await ended(handle)).state == "completed"
    causes = await app.database.fetch("select cause from holdfast.events where cause like 'endpoint%'")
    assert [row["cause"] for row in causes] == ["endpoint_refuses_us"]
