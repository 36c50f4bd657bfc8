"""Serves the figures of a worker over HTTP, in the worker's own event loop."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from holdfast.model.error import Conflict
from holdfast.model.server_extra import server_extra_missing
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.prometheus_text import exposition
from holdfast.worker.metrics.worker_figures import worker_figures
from holdfast.worker.worker_state import WorkerState

if TYPE_CHECKING:
    from holdfast.worker.metrics.metrics_http import MetricsHttp


@asynccontextmanager
async def metrics_served(worker: WorkerState) -> AsyncIterator[None]:
    """During the block, if the worker's options name an address."""
    address = worker.options.metrics
    if address is None:
        yield
        return
    http = _http(lambda: exposition(worker_figures(worker)))
    try:
        port = await http.start(address.host, address.port)
    except OSError as exc:
        raise Conflict(
            f"Metrics cannot be served at {address.host}:{address.port}: {exc.strerror}.",
            "choose another --metrics-port, or 0 for any free port",
        ) from exc
    emit(Event.METRICS_SERVED, worker=worker.me, url=f"http://{address.host}:{port}/metrics")
    try:
        yield
    finally:
        await http.stop()


def _http(text: Callable[[], str]) -> "MetricsHttp":
    try:
        from holdfast.worker.metrics.metrics_http import MetricsHttp
    except ModuleNotFoundError as exc:
        raise server_extra_missing("A worker with a metrics port", exc) from None
    return MetricsHttp(text)
