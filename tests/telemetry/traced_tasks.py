"""Tasks in process mode whose child processes export their spans to a file."""

import os
from collections.abc import Sequence
from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from holdfast.client.app import Holdfast
from holdfast.worker.context.job_context import JobContext

FILE = "SPANS_OF_CHILDREN"  # a variable that the test sets after it has imported this


class ToFile(SpanExporter):
    """A line per span: name, trace, parent."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        with Path(os.environ[FILE]).open("a") as file:
            for span in spans:
                assert span.context is not None
                assert span.parent is not None
                file.write(f"{span.name}|{span.context.trace_id}|{span.parent.span_id}\n")
        return SpanExportResult.SUCCESS


if FILE in os.environ:
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(ToFile()))
    trace.set_tracer_provider(provider)

app = Holdfast(name="tests", tracing=True)


@app.task()
async def child() -> None: ...


@app.task(mode="process")
def elsewhere(ctx: JobContext) -> list[int]:
    here = trace.get_current_span().get_span_context()
    with trace.get_tracer("the handler's own").start_as_current_span("own"):
        ctx.blocking.step("count", lambda: 1)
        ctx.blocking.enqueue(child)
    return [here.trace_id & 0xFFFF, here.span_id & 0xFFFF]


@app.task(mode="process")
async def in_a_loop(ctx: JobContext) -> None:
    await ctx.step("count", lambda: 1)
