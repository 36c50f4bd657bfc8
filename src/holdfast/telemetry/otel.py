"""Spans by OpenTelemetry; the only module that uses the library.

It needs the API only. Which spans are sampled, and where they go, is for the TracerProvider that the program
has set; without one, nothing is recorded.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from holdfast.model.end_attempt import Cancelled, Reject, Snooze, Yield
from holdfast.telemetry import trace_names as names
from holdfast.telemetry.tracer import (
    Attributes,
    Carrier,
    Kind,
    Span,
    Value,
    current_tracer,
)

# Of W3C, and not the propagator that the program has set: what is stored must be readable for every program.
_W3C = TraceContextTextMapPropagator()
_KINDS = {
    Kind.PRODUCER: SpanKind.PRODUCER,
    Kind.CONSUMER: SpanKind.CONSUMER,
    Kind.CLIENT: SpanKind.CLIENT,
    Kind.INTERNAL: SpanKind.INTERNAL,
}
# By these a handler decides; nothing went wrong.
_NO_ERRORS = (Cancelled, Reject, Snooze, Yield)
# The database refuses a longer one.
MOST_STATE = 512


class OtelSpan:
    __slots__ = ("inner",)

    def __init__(self, inner: trace.Span) -> None:
        self.inner = inner

    @property
    def traceparent(self) -> str | None:
        carrier = _carrier(trace.set_span_in_context(self.inner, Context()))
        return None if carrier is None else carrier["traceparent"]

    def set(self, attributes: Attributes) -> None:
        self.inner.set_attributes(_known(attributes))

    def fail(self, error: str) -> None:
        self.inner.set_attribute(names.ERROR_TYPE, error)
        self.inner.set_status(Status(StatusCode.ERROR, error))

    def end(self) -> None:
        self.inner.end()


class OtelTracer:
    """The tracer of the program's global provider, which may be set later than this is made."""

    def __init__(self) -> None:
        self._tracer = trace.get_tracer(names.SCOPE, _version())

    def start(
        self,
        name: str,
        kind: Kind,
        attributes: Attributes,
        parent: Carrier | None,
        linked: Mapping[str, str] | None = None,
    ) -> OtelSpan:
        # An empty context: a job does not belong to a span that happened to be open when its worker started.
        around = Context() if parent is None else _W3C.extract(parent, Context())
        links = [_link(traceparent, what) for traceparent, what in (linked or {}).items()]
        return OtelSpan(self._tracer.start_span(name, around, _KINDS[kind], _known(attributes), links))

    def below(self, parent: Span, name: str, attributes: Attributes) -> OtelSpan:
        return OtelSpan(self._tracer.start_span(name, _inside(parent), attributes=_known(attributes)))

    @contextmanager
    def use(self, span: Span) -> Iterator[None]:
        with self._within(_inside(span)):
            yield

    @contextmanager
    def follow(self, carrier: Carrier) -> Iterator[None]:
        with self._within(_W3C.extract(carrier)):
            yield

    @contextmanager
    def span(self, name: str, kind: Kind, attributes: Attributes) -> Iterator[OtelSpan]:
        one = OtelSpan(self._tracer.start_span(name, None, _KINDS[kind], _known(attributes)))
        try:
            with self.use(one):
                yield one
        except _NO_ERRORS:
            raise
        except Exception as exc:
            one.fail(type(exc).__qualname__)
            raise
        finally:
            one.end()

    def carrier(self) -> Carrier | None:
        return _carrier(context.get_current())

    @contextmanager
    def _within(self, around: Context) -> Iterator[None]:
        token, before = context.attach(around), current_tracer.set(self)
        try:
            yield
        finally:
            current_tracer.reset(before)
            context.detach(token)


def _carrier(around: Context) -> dict[str, str] | None:
    carrier: dict[str, str] = {}
    _W3C.inject(carrier, around)
    if len(carrier.get("tracestate", "")) > MOST_STATE:
        del carrier["tracestate"]
    return carrier or None


def _inside(span: Span) -> Context:
    assert isinstance(span, OtelSpan)
    return trace.set_span_in_context(span.inner)


def _link(traceparent: str, what: str) -> Link:
    remote = trace.get_current_span(_W3C.extract({"traceparent": traceparent}, Context()))
    return Link(remote.get_span_context(), {names.LINKED_TO: what})


def _known(attributes: Attributes) -> dict[str, Value]:
    return {name: value for name, value in attributes.items() if value is not None}


def _version() -> str | None:
    try:
        return version("holdfast-queue")
    except PackageNotFoundError:
        return None
