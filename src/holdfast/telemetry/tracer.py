"""The port to a tracing library, and the spans of the running attempt.

Without tracing nothing here imports such a library: `find_tracer` returns None, the parts of a worker that
trace are never made, and `span` returns one shared object that does nothing.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from enum import StrEnum
from types import TracebackType
from typing import Protocol

from holdfast.model.error import NotConfigured

VARIABLE = "HOLDFAST_TRACING"
_YES = frozenset({"1", "true", "yes", "on"})

Value = str | bool | int | float | Sequence[str]
Attributes = Mapping[str, Value | None]
"""A value of None is left out."""
Carrier = Mapping[str, str]
"""W3C trace context: `traceparent`, and `tracestate` if there is one."""


class Kind(StrEnum):
    PRODUCER = "producer"
    CONSUMER = "consumer"
    CLIENT = "client"
    INTERNAL = "internal"


class Span(Protocol):
    @property
    def traceparent(self) -> str | None:
        """None if nothing is traced."""

    def set(self, attributes: Attributes) -> None: ...

    def fail(self, error: str) -> None:
        """Sets its status to error; `error` is the type of the error, never its message."""

    def end(self) -> None: ...


class Tracer(Protocol):
    """Implemented by `holdfast.telemetry.otel`."""

    def start(
        self,
        name: str,
        kind: Kind,
        attributes: Attributes,
        parent: Carrier | None,
        linked: Mapping[str, str] | None = None,
    ) -> Span:
        """A span below a remote one, or the first of a new trace; the caller ends it.

        `linked` maps the traceparent of another span to what it is.
        """

    def below(self, parent: Span, name: str, attributes: Attributes) -> Span:
        """A span inside another one; the caller ends it."""

    def use(self, span: Span) -> AbstractContextManager[None]:
        """Inside the block, spans of this and any other library belong to that span."""

    def follow(self, carrier: Carrier) -> AbstractContextManager[None]:
        """The same for a span of another process."""

    def span(self, name: str, kind: Kind, attributes: Attributes) -> AbstractContextManager[Span]:
        """A span below the current one, for the length of the block; an exception sets its status."""

    def carrier(self) -> Carrier | None:
        """Of the current span; None if there is none."""


class NoSpan:
    """A span without tracing, and the block of one."""

    __slots__ = ()
    traceparent: str | None = None

    def __enter__(self) -> Span:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def set(self, attributes: Attributes) -> None: ...

    def fail(self, error: str) -> None: ...

    def end(self) -> None: ...


NO_SPAN = NoSpan()

# Set around a traced attempt. Threads and tasks that its handler starts inherit them by their context.
current_tracer: ContextVar[Tracer | None] = ContextVar("holdfast_tracer", default=None)
attempt_traceparent: ContextVar[str | None] = ContextVar("holdfast_attempt_traceparent", default=None)


def find_tracer(wanted: bool | None) -> Tracer | None:
    """`wanted` is what the app says; None leaves it to the environment variable HOLDFAST_TRACING."""
    if wanted is None:
        wanted = os.environ.get(VARIABLE, "").strip().lower() in _YES
    return load_tracer() if wanted else None


def load_tracer() -> Tracer:
    """Raises NotConfigured without the package."""
    try:
        from holdfast.telemetry.otel import OtelTracer
    except ModuleNotFoundError as exc:
        if not (exc.name or "").startswith("opentelemetry"):
            raise
        raise NotConfigured(
            "Tracing needs the package opentelemetry-api, which is not installed.",
            "install it where jobs are enqueued and run: pip install 'holdfast-queue[otel]'",
        ) from None
    return OtelTracer()


def span(name: str, kind: Kind, attributes: Attributes) -> AbstractContextManager[Span]:
    """A span below the current one of the running attempt, if it is traced."""
    tracer = current_tracer.get()
    return NO_SPAN if tracer is None else tracer.span(name, kind, attributes)


def carrier_here() -> Carrier | None:
    """The context for the children of the running attempt, and for its child process; None: not traced."""
    tracer = current_tracer.get()
    return None if tracer is None else tracer.carrier()
