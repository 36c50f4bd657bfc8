"""A run ends soon after its last job, not at the next sweep."""

from datetime import timedelta

import pytest

from holdfast.client.app import Holdfast
from holdfast.worker.context.job_context import JobContext
from tests.worker.working import counts, until, working


@pytest.mark.parametrize("in_transaction", [False, True])
async def test_a_run_is_closed_soon_after_its_last_job_has_ended(app: Holdfast, in_transaction: bool) -> None:
    @app.task()
    async def part(ctx: JobContext) -> None:
        if in_transaction:
            async with ctx.transaction():
                pass

    @app.task()
    async def last() -> None: ...

    async def all_done() -> bool:
        return await counts(app) == {"completed": 4 * runs}

    runs = 0
    async with working(app, sweep=timedelta(hours=1)):
        while runs < 3:
            async with app.run("r", on_complete=last.call()) as run:
                await part.options(run=run).enqueue_many([part.call() for _ in range(3)])
            runs += 1
            await until(all_done)
