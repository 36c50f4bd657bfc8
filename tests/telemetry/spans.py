"""Finished spans, as a test looks at them."""

from collections.abc import Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext, SpanKind


class Spans:
    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self.all: Sequence[ReadableSpan] = sorted(
            exporter.get_finished_spans(), key=lambda span: span.start_time or 0
        )

    def of(self, kind: SpanKind) -> list[ReadableSpan]:
        return [span for span in self.all if span.kind is kind]

    def one(self, name: str) -> ReadableSpan:
        (found,) = self.named(name)
        return found

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all if span.name == name]

    @property
    def names(self) -> list[str]:
        return [span.name for span in self.all]


def context_of(span: ReadableSpan) -> SpanContext:
    found = span.context
    assert isinstance(found, SpanContext)
    return found


def parent_of(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


def id_of(span: ReadableSpan) -> int:
    return context_of(span).span_id


def linked_from(span: ReadableSpan) -> list[int]:
    return [link.context.span_id for link in span.links]
