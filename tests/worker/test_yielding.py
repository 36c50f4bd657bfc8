"""A worker with a time box claims jobs of handlers that yield for as long as its box has room."""

import asyncio
from datetime import timedelta
from time import monotonic

import pytest

from holdfast import JobContext, Yield
from holdfast.client.app import Holdfast
from holdfast.model.error import BadHandler
from holdfast.worker import worker_run
from holdfast.worker.time_box import allowance
from holdfast.worker.time_box.durations import Durations
from holdfast.worker.worker_report import WorkReport
from tests.patience import PATIENCE

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("yields", [True, False])
async def test_jobs_that_can_yield_are_claimed_until_the_margin(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch, yields: bool
) -> None:
    """Jobs like these usually take an hour; after the first one a quarter of the box's hour is left."""
    gone = [0.0]

    async def an_hour(*_: object) -> timedelta:
        return timedelta(hours=1)

    monkeypatch.setattr(worker_run, "usual_run_time", an_hour)
    monkeypatch.setattr(allowance, "monotonic", lambda: monotonic() + gone[0])

    @app.task(yields=yields)
    async def work(ctx: JobContext) -> None:
        gone[0] = timedelta(minutes=45).total_seconds()

    @app.task(yields=yields)
    async def waits_for_nothing(ctx: JobContext) -> None: ...

    await work.enqueue()
    await waits_for_nothing.enqueue_many([waits_for_nothing.call() for _ in range(3)])
    monkeypatch.setattr(Durations, "note", lambda *_: None)  # they were quick, which is not to be known
    report = await app.work(time_box="1h", margin="1m", slots=1)
    done, left = (4, 0) if yields else (1, 3)
    assert (report.processed, report.released, report.remaining) == (done, 0, left)


async def test_jobs_that_yield_are_done_by_short_boxes_one_after_the_other(app: Holdfast) -> None:
    @app.task(yields=True)
    async def walk(ctx: JobContext) -> int:
        done: int = await ctx.resume_data or 0
        while done < 3:
            if done < 2:  # it takes three boxes
                while not ctx.should_yield.is_set():
                    await asyncio.sleep(0.01)
            done += 1
            await ctx.checkpoint(done)
            if ctx.should_yield.is_set():
                raise Yield
        return done

    handles = await walk.enqueue_many([walk.call() for _ in range(3)])
    reports: list[WorkReport] = []
    async with asyncio.timeout(PATIENCE):
        while not reports or reports[-1].remaining:
            reports.append(await app.work(time_box="1s", margin="500ms", slots=3))
    jobs = [await handle.job() for handle in handles]
    assert [(job.output, job.failures, job.losses) for job in jobs] == [(3, 0, 0)] * 3
    assert sum(report.released for report in reports) >= 6


def test_a_handler_without_a_context_cannot_yield(app: Holdfast) -> None:
    with pytest.raises(BadHandler, match="but no JobContext") as caught:

        @app.task(yields=True)
        async def blind() -> None: ...

    assert "JobContext" in str(caught.value.hint)
