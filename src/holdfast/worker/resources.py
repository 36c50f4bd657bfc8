"""The app's `@app.resources`: opened before a worker registers, closed after it has unregistered."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from holdfast.model.app_hooks import AppHooks, Manager
from holdfast.model.error import HoldfastError, NotConfigured, Timeout
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.options import WorkerOptions
from holdfast.worker.own_task import OwnTask, end_all
from holdfast.worker.shutdown.stopping import Stopping

NONE: Any = object()
# At least this long, however little of the grace period is left.
LEAST_TO_CLOSE = timedelta(milliseconds=500)
# For a close that took too long to process its cancellation.
LAST_STEPS = 0.1


def existing(resources: Any) -> Any:
    if resources is NONE:
        raise NotConfigured(
            "The app has no resources, because no function is decorated with @app.resources.",
            "put @app.resources above an async generator function that yields the resources",
        )
    return resources


@asynccontextmanager
async def resources_open(around: AppHooks, options: WorkerOptions, stopping: Stopping) -> AsyncIterator[Any]:
    """Returns NONE if the app has none, or if the worker was stopped before they were open."""
    if around.opens is None:
        yield NONE
        return
    box, resources = options.box, Resources(around.opens, on_loss=stopping.begin)
    try:
        await resources.open(stopping.asked, None if box is None else box.left_to(1.0))
        yield resources.value
        resources.check()
    finally:
        left = stopping.left_of(options.grace) if box is None else box.left_to(0)
        await resources.close(max(left, LEAST_TO_CLOSE) if box is None else left)


class Resources:
    """One task opens and closes them: only the task that entered a task group may leave it."""

    def __init__(self, opens: Callable[[], Manager], on_loss: Callable[[], None] = lambda: None) -> None:
        self.value = NONE
        self._opens = opens
        self._on_loss = on_loss
        self._is_open = asyncio.Event()
        self._is_leaving = asyncio.Event()
        self._life = OwnTask(self._live(), name="holdfast-resources")
        self._life.add_done_callback(self._end)

    @property
    def is_lost(self) -> bool:
        """Set when they have ended early, for example a task group in which a task failed."""
        return self._is_open.is_set() and self._life.done() and not self._is_leaving.is_set()

    async def open(self, unless: asyncio.Event | None = None, within: timedelta | None = None) -> None:
        """Returns when they are open, or early if `unless` is set."""
        ends: list[OwnTask[Any]] = [
            OwnTask(event.wait()) for event in (self._is_open, unless) if event is not None
        ]
        limit = None if within is None else within.total_seconds()
        try:
            waiting = [self._life, *ends]
            done, _ = await asyncio.wait(waiting, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end_all(ends)
        if not done:
            raise Timeout(
                "The app's resources were not open when the margin of the time box began.",
                "use a longer time box, or open fewer resources",
            )
        if self._life.done():
            raise self._told("could not be opened")

    def check(self) -> None:
        if self.is_lost:
            raise self._told("ended while the worker was running")

    async def close(self, within: timedelta) -> None:
        """Errors are only logged: all jobs have ended by now."""
        is_lost = self.is_lost
        self._is_leaving.set()
        if not self._is_open.is_set():
            self._life.end()
        await asyncio.wait([self._life], timeout=within.total_seconds())
        if not self._life.done():
            emit(Event.RESOURCES_NOT_CLOSED, because=f"it took longer than {within}")
            self._life.end()
            await asyncio.wait([self._life], timeout=LAST_STEPS)
        elif (error := self._error()) is not None and self._is_open.is_set() and not is_lost:
            emit(Event.RESOURCES_NOT_CLOSED, because=repr(error))

    async def _live(self) -> None:
        async with self._opens() as self.value:
            self._is_open.set()
            await self._is_leaving.wait()

    def _end(self, _: object) -> None:
        error = self._error()  # retrieved in any case, or asyncio warns
        if self.is_lost:
            emit(Event.RESOURCES_LOST, because=repr(error))
            self._on_loss()

    def _error(self) -> BaseException | None:
        return asyncio.CancelledError() if self._life.cancelled() else self._life.exception()

    def _told(self, what: str) -> HoldfastError:
        error = self._error()
        if isinstance(error, HoldfastError):
            return error
        why = "there was no exception" if error is None else f"{type(error).__name__}: {error}"
        told = NotConfigured(
            f"The app's resources {what}: {why}", "check the function decorated with @app.resources"
        )
        told.__cause__ = error
        return told
