"""An app's hooks during the life of a worker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.hooks import FLUSH, EventHooks
from holdfast.worker.options import WorkerOptions
from holdfast.worker.time_box.time_box import GONE
from holdfast.worker.worker_report import WorkerReport


@asynccontextmanager
async def hooks_listening(
    hooks: EventHooks, options: WorkerOptions, report: WorkerReport
) -> AsyncIterator[None]:
    """At the end it waits for the last callbacks, for a bounded time, and reports what was dropped."""
    before = hooks.dropped
    try:
        with hooks.listening():
            yield
    finally:
        if hooks.callbacks:
            left = FLUSH if options.box is None else min(FLUSH, options.box.left_to(GONE))
            await asyncio.to_thread(hooks.flush, left)
        report.dropped = hooks.dropped - before
        if report.dropped:
            emit(Event.HOOKS_DROPPED, count=report.dropped)
