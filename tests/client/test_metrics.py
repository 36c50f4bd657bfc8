"""Figures from outside, the depth of queues and workers that left, from Python."""

import asyncio
from datetime import timedelta

import pytest

from holdfast import Holdfast, InvalidInput
from holdfast.model.error import InvalidOption


async def test_a_reported_figure_can_be_read(app: Holdfast) -> None:
    await app.metrics.report("gpu_load", 0.5, {"host": "a"})
    await app.metrics.report("gpu_load", 0.6, {"host": "a"})
    await app.metrics.report("requests_waiting", 3)
    found = await app.metrics.reported()
    assert [(one.name, one.labels, one.value) for one in found] == [
        ("gpu_load", {"host": "a"}, 0.6),
        ("requests_waiting", {}, 3),
    ]


async def test_code_without_an_event_loop_reports_too(app: Holdfast) -> None:
    await asyncio.to_thread(app.metrics.report_sync, "gpu_load", 0.5, {"host": "a"})
    assert [one.value for one in await app.metrics.reported()] == [0.5]


async def test_inside_an_event_loop_the_synchronous_call_is_refused(app: Holdfast) -> None:
    with pytest.raises(InvalidInput, match="event loop"):
        app.metrics.report_sync("gpu_load", 0.5)


async def test_what_cannot_be_stored_is_refused(app: Holdfast) -> None:
    with pytest.raises(InvalidOption, match="finite"):
        await app.metrics.report("gpu_load", float("nan"))
    with pytest.raises(InvalidOption, match="name of a metric"):
        await app.metrics.report("gpu load", 1)


async def test_the_depth_of_a_queue_is_read_by_minute(app: Holdfast) -> None:
    @app.task(queue="mail")
    async def send() -> None: ...

    await send.enqueue_many([send.call() for _ in range(3)])
    await app.database.execute("select holdfast.sample_depths()")
    (sample,) = await app.metrics.depth_history("1h", "mail")
    assert (sample.queue, sample.ready, sample.running) == ("mail", 3, 0)
    assert sample.oldest_age is not None
    assert sample.began_at == sample.sampled_at
    assert await app.metrics.depth_history("1h", "other") == []


async def test_how_long_statistics_are_kept_can_be_set(app: Holdfast) -> None:
    await app.operator.keep_statistics("2d", timedelta(days=60), "we look back further")
    kept = await app.database.fetch("select keep_minutes, keep_hours from holdfast.statistics_settings")
    assert [tuple(row) for row in kept] == [(timedelta(days=2), timedelta(days=60))]


async def test_no_worker_has_left_an_idle_installation(app: Holdfast) -> None:
    assert await app.metrics.left_workers() == []
