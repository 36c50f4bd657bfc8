"""In process mode a handler's spans belong to its attempt's span, which is the worker's."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from holdfast.client.app import Holdfast
from tests.telemetry import traced_tasks as tasks
from tests.telemetry.spans import Spans, context_of, id_of, parent_of
from tests.worker.working import ended, working


@pytest.fixture
async def app(
    database_url: str, exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Holdfast]:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    async with tasks.app as opened:
        yield opened


async def test_a_child_process_goes_on_in_the_trace_and_exports_its_spans_when_it_exits(
    app: Holdfast, exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "spans"
    monkeypatch.setenv(tasks.FILE, str(file))
    first, second = await tasks.elsewhere.enqueue(), await tasks.in_a_loop.enqueue()
    async with working(app):
        output = (await ended(first)).output
        await ended(second)
        (child,) = await app.jobs(task="child")
        await ended(app.job(child.id))
    spans = Spans(exporter)
    attempts = {str((span.attributes or {})["holdfast.task"]): span for span in spans.of(SpanKind.CONSUMER)}
    outer, looped = attempts["elsewhere"], attempts["in_a_loop"]
    assert output == [context_of(outer).trace_id & 0xFFFF, id_of(outer) & 0xFFFF]
    # The step of the first is inside a span that only the child knows.
    lines = [line.split("|") for line in file.read_text().splitlines()]
    assert sorted((name, trace) for name, trace, _ in lines) == sorted(
        [
            ("own", str(context_of(outer).trace_id)),
            ("step count", str(context_of(outer).trace_id)),
            ("step count", str(context_of(looped).trace_id)),
        ]
    )
    parents = {(name, trace): int(parent) for name, trace, parent in lines}
    assert parents["own", str(context_of(outer).trace_id)] == id_of(outer)
    assert parents["step count", str(context_of(looped).trace_id)] == id_of(looped)
    assert context_of(attempts["child"]).trace_id == context_of(outer).trace_id
    assert parent_of(attempts["child"]) not in (id_of(outer), None)
