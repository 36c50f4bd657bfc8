"""What decides a queue's speed is statements per job: one call settles and claims many."""

from typing import Any

import pytest

from holdfast import Holdfast, Worker
from holdfast.db.worker import settle_and_claim

JOBS = 1000


async def test_a_worker_makes_few_calls_for_many_jobs(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Holdfast(database_url)

    @app.task()
    async def nothing(number: int) -> None:
        return None

    calls = 0

    async def counted(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        return await settle_and_claim(*args)

    monkeypatch.setattr("holdfast.worker.settle.settle_loop.settle_and_claim", counted)
    async with app:
        await nothing.enqueue_many([nothing.call(number) for number in range(JOBS)])
        report = await Worker(app, ["default"], slots=200, drain=True).run()
    assert report.processed == JOBS
    assert calls <= 0.05 * JOBS
