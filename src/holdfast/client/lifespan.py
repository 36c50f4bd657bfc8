"""A lifespan for FastAPI, Starlette and other ASGI frameworks."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.db.schema_check import require_schema
from holdfast.model.duration import Duration, parse_duration
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

if TYPE_CHECKING:
    from holdfast.client.app import Holdfast
    from holdfast.worker.worker import Worker

ServerLifespan: TypeAlias = Callable[[object], AbstractAsyncContextManager[None]]


class Lifespan:
    """Called by the server with its own app: connects when the server starts, disconnects when it stops.

    The server does not start if it could not enqueue in the database.
    """

    __slots__ = ("_app",)

    def __init__(self, app: "Holdfast") -> None:
        self._app = app

    @asynccontextmanager
    async def __call__(self, _server: object = None, /) -> AsyncIterator[None]:
        async with self._app as app:
            async with app.database.connection() as conn:
                await require_schema(conn, app.database.address)
            yield

    def with_worker(
        self,
        queues: Sequence[str] | Mapping[str, float] | None = None,
        *,
        slots: int = 50,
        group: str | None = None,
        lease: Duration = "30s",
        grace: Duration = "25s",
        sweep: Duration = "5s",
    ) -> ServerLifespan:
        """The same, and a worker in the server's process, for all queues of the app or the named ones.

        When the server stops, the worker claims nothing more and finishes its jobs within the grace period.
        """
        from holdfast.worker.worker import Worker

        def make() -> Worker:
            return Worker(
                self._app,
                self._app.queue_names if queues is None else queues,
                slots=slots,
                group=group,
                lease=parse_duration(lease),
                grace=parse_duration(grace),
                sweep=parse_duration(sweep),
            )

        if queues is not None:
            make()  # wrong settings fail here, not when the server starts
        return lambda _server: self._working(make)

    @asynccontextmanager
    async def _working(self, make: "Callable[[], Worker]") -> AsyncIterator[None]:
        async with self():
            worker = make()
            working = asyncio.create_task(worker.run(), name="holdfast-worker")
            working.add_done_callback(_tell_failure)
            await _until_open(worker, working)
            try:
                yield
            finally:
                worker.stop()
                await working


async def _until_open(worker: "Worker", working: "asyncio.Task[Any]") -> None:
    """The server does not start if the app's resources cannot be opened."""
    opening = asyncio.create_task(worker.is_open.wait())
    try:
        await asyncio.wait([opening, working], return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        worker.stop()
        await working
        raise
    finally:
        opening.cancel()
    if not worker.is_open.is_set():
        await working


def _tell_failure(working: "asyncio.Task[Any]") -> None:
    """Logs at once: the server continues without its worker, and raises the error only when it stops."""
    if not working.cancelled() and (error := working.exception()) is not None:
        emit(Event.WORKER_FAILED, because=error)
