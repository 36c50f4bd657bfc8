"""Suspects run alone; deployments and time boxes make suspects, never dead jobs."""

import asyncio
from datetime import timedelta

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.end_attempt import Yield
from holdfast.model.state import State
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.worker.working import counts, ended, until, working

ENQUEUE = "select holdfast.enqueue_jobs(array[$1], array_fill('{}'::json, array[$2::int]), '{}')"
LOSE_ALL = """
with gone as (
  update holdfast.workers set lease_until = holdfast.now() - interval '1 second' returning id
)
select count(*) from gone
"""


async def lost_jobs(app: Holdfast, task: str, count: int) -> None:
    """Claimed together by a worker that vanished."""
    await app.database.execute(ENQUEUE, task, count)
    await app.database.execute("select holdfast.register_worker(gen_random_uuid(), '{default}', '{}')")
    await app.database.execute("select holdfast.claim_jobs(id, $1) from holdfast.workers", count)
    await app.database.execute(LOSE_ALL)
    await app.database.execute("select holdfast.rescue_jobs()")
    await app.database.execute("delete from holdfast.workers")


async def test_a_worker_without_children_runs_suspects_one_by_one_and_alone(
    app: Holdfast,
) -> None:
    beside: set[str] = set()
    company: list[set[str]] = []

    async def run(name: str) -> None:
        beside.add(name)
        company.append(set(beside))
        await asyncio.sleep(0.02)
        company.append(set(beside))
        beside.discard(name)

    @app.task()
    async def suspect(ctx: JobContext) -> None:
        await run(f"suspect {ctx.id}")

    @app.task()
    async def plain(ctx: JobContext) -> None:
        await run(f"plain {ctx.id}")

    await lost_jobs(app, "suspect", 5)
    await plain.enqueue_many([plain.call() for _ in range(5)])
    async with working(app):
        await until(lambda: all_completed(app, 10))
    assert all(len(seen) == 1 for seen in company if any(name.startswith("suspect") for name in seen))


@pytest.mark.slow
async def test_fifty_rolling_restarts_make_no_job_dead(app: Holdfast) -> None:
    started, finishes = asyncio.Event(), asyncio.Event()

    @app.task(max_failures=1)
    async def long() -> str:
        started.set()
        await finishes.wait()
        return "done"

    handle = await long.enqueue()
    for _ in range(50):
        started.clear()
        worker = Worker(app, ["default"], grace=timedelta(0), sweep=timedelta(seconds=5))
        running = asyncio.create_task(worker.run())
        async with asyncio.timeout(PATIENCE):
            await started.wait()
            worker.stop()
            await running
    finishes.set()
    async with working(app):
        job = await ended(handle)
    assert (job.state, job.failures, job.losses) == (State.COMPLETED, 0, 0)
    assert job.deferrals >= 50


async def test_a_long_job_in_many_time_boxes_is_never_a_suspect(app: Holdfast) -> None:
    """Ten minutes in boxes of 25 s are 24 boxes; how long each one is makes no difference."""
    boxes = 24

    @app.task(max_failures=1)
    async def long(ctx: JobContext) -> int:
        done: int = (await ctx.checkpoints()).get("done", 0)
        if done < boxes - 1:
            await ctx.checkpoint("done", done + 1)
            raise Yield("its box ends")
        return done

    handle = await long.enqueue()
    suspects = "select count(*) from holdfast.lanes where is_suspect"
    for _ in range(boxes):
        await Worker(app, ["default"], once=True, sweep=timedelta(seconds=5)).run()
    assert (await app.database.fetch(suspects))[0][0] == 0
    job = await handle.job()
    assert (job.state, job.attempt, job.losses) == (State.COMPLETED, boxes, 0)


async def all_completed(app: Holdfast, count: int) -> bool:
    return await counts(app) == {"completed": count}
