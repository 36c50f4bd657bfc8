"""Which span a job's attempts, children and last job belong to, and which span each is linked to."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from holdfast.client.app import Holdfast
from holdfast.db.statement import fetch_value
from holdfast.model.state import State
from holdfast.pipeline.define import Pipeline, Stage
from holdfast.worker.context.job_context import JobContext
from tests.telemetry.spans import Spans, context_of, id_of, linked_from, parent_of
from tests.worker.working import ended, working


@pytest.fixture
async def app(database_url: str, exporter: InMemorySpanExporter) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url, name="tests", tracing=True) as opened:
        yield opened


async def test_a_job_that_no_producer_traced_begins_a_trace_which_its_next_attempt_joins(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task(retry=[0])
    async def once_more(ctx: JobContext) -> None:
        if ctx.failures == 0:
            raise ValueError

    await app.declare()
    job = await fetch_value(app.database, "select holdfast.enqueue('once_more')")
    async with working(app):
        await ended(app.job(job))
    first, second = Spans(exporter).of(SpanKind.CONSUMER)
    assert first.parent is None
    assert context_of(second).trace_id == context_of(first).trace_id
    assert (parent_of(second), linked_from(second)) == (id_of(first), [id_of(first)])


async def test_children_belong_to_the_attempt_that_made_them(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task()
    async def child(n: int) -> int:
        return n

    @app.task()
    async def parent(ctx: JobContext) -> int:
        await ctx.enqueue(child, {"n": 1})
        await child.enqueue(2)
        (made,) = await ctx.spawn(child, [{"n": 3}])
        return int(made)

    handle = await parent.enqueue()
    async with working(app):
        await ended(handle)
        for job in await app.jobs(task="child"):
            await ended(app.job(job.id))
    spans = Spans(exporter)
    sent, *_ = spans.of(SpanKind.PRODUCER)
    made = [
        span for span in spans.of(SpanKind.CONSUMER) if (span.attributes or {})["holdfast.task"] == "parent"
    ]
    first, second = made
    assert {context_of(span).trace_id for span in spans.all} == {context_of(sent).trace_id}
    children = [span for span in spans.of(SpanKind.CONSUMER) if span not in made]
    inside = spans.of(SpanKind.PRODUCER)[1:]
    # The second attempt, after the wait, enqueues the first two once more.
    parents = sorted(str(parent_of(span)) for span in children)
    expected = [id_of(first), id_of(first), id_of(second), *(id_of(span) for span in inside)]
    assert parents == sorted(map(str, expected))
    assert linked_from(second) == [id_of(first)]
    assert {parent_of(span) for span in inside} == {id_of(first), id_of(second)}


async def test_a_replay_is_in_the_same_trace_and_linked_to_the_attempt_that_failed(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task(max_failures=1)
    async def brittle(ctx: JobContext) -> None:
        if ctx.generation == 1:
            raise ValueError

    handle = await brittle.enqueue()
    async with working(app):
        assert (await ended(handle)).state is State.DEAD
        await handle.replay("fixed")
        assert (await ended(handle)).state is State.COMPLETED
    spans = Spans(exporter)
    (sent,), (first, again) = spans.of(SpanKind.PRODUCER), spans.of(SpanKind.CONSUMER)
    assert {context_of(span).trace_id for span in spans.all} == {context_of(sent).trace_id}
    assert (linked_from(first), linked_from(again)) == ([], [id_of(first)])
    assert (again.attributes or {})["holdfast.generation"] == 2


async def test_a_stage_that_ends_in_its_own_transaction_is_linked_too(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task()
    async def first(ctx: JobContext) -> None:
        async with ctx.transaction(1):
            pass

    @app.task()
    async def second() -> None: ...

    line = app.pipeline(Pipeline("line", [Stage("a", task=first), Stage("b", task=second)]))
    await app.declare()
    handle = await line.enqueue()
    async with working(app, "line.a", "line.b"):
        await ended(handle)
    one, other = Spans(exporter).of(SpanKind.CONSUMER)
    assert linked_from(other) == [id_of(one)]


async def test_a_bulk_is_one_span_and_its_jobs_belong_to_it(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task()
    async def small(n: int) -> None: ...

    @app.task(queue="other")
    async def different() -> None: ...

    await small.enqueue_many(small.call(n) for n in range(5))
    async with app.database.transaction() as conn:
        await app.enqueue_many([small.call(9), different.call()], conn=conn)
    first, second = Spans(exporter).of(SpanKind.PRODUCER)
    assert (first.name, (first.attributes or {})["messaging.batch.message_count"]) == ("enqueue default", 5)
    assert (second.name, (second.attributes or {})["messaging.batch.message_count"]) == (
        "enqueue several queues",
        2,
    )
    rows = await app.database.fetch(
        "select trace ->> 'traceparent' as parent, count(*) as n from holdfast.jobs group by 1 order by 2"
    )
    stored = {row["parent"]: row["n"] for row in rows}
    assert stored == {traceparent(second): 2, traceparent(first): 5}


def traceparent(span: ReadableSpan) -> str:
    context = context_of(span)
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


async def test_attempts_that_share_a_task_belong_each_to_their_own_producer(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task()
    async def short(n: int) -> int:
        return trace.get_current_span().get_span_context().span_id & 0xFFFF

    handles = [await short.enqueue(n) for n in range(8)]
    async with working(app):
        outputs = {str(handle.id): (await ended(handle)).output for handle in handles}
    spans = Spans(exporter)
    sent = {
        id_of(span): (span.attributes or {})["messaging.message.id"] for span in spans.of(SpanKind.PRODUCER)
    }
    attempts = spans.of(SpanKind.CONSUMER)
    assert {
        str((one.attributes or {})["messaging.message.id"]): id_of(one) & 0xFFFF for one in attempts
    } == outputs
    assert [sent[parent_of(one) or 0] for one in attempts] == [
        (one.attributes or {})["messaging.message.id"] for one in attempts
    ]


async def test_plain_code_without_an_event_loop_is_traced_too(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task()
    async def small() -> None: ...

    def plain() -> None:
        with trace.get_tracer("script").start_as_current_span("script"):
            small.enqueue_sync()
            small.enqueue_many_sync([small.call()])

    await asyncio.to_thread(plain)
    spans = Spans(exporter)
    assert {parent_of(span) for span in spans.of(SpanKind.PRODUCER)} == {id_of(spans.one("script"))}
    assert len(spans.of(SpanKind.PRODUCER)) == 2


async def test_what_the_producer_did_not_sample_is_not_sampled_in_a_worker(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task()
    async def small() -> int:
        return trace.get_current_span().get_span_context().trace_id

    handle = await small.options(trace=f"00-{7:032x}-{8:016x}-00").enqueue()
    async with working(app):
        assert (await ended(handle)).output == 7
    assert Spans(exporter).of(SpanKind.CONSUMER) == []


async def test_callers_who_share_a_statement_have_spans_of_their_own(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task()
    async def small(n: int) -> None: ...

    await asyncio.gather(*(small.enqueue(n) for n in range(8)))
    sent = Spans(exporter).of(SpanKind.PRODUCER)
    stored = await app.database.fetch("select id, trace ->> 'traceparent' as parent from holdfast.jobs")
    assert {str(row["id"]): row["parent"] for row in stored} == {
        str((span.attributes or {})["messaging.message.id"]): traceparent(span) for span in sent
    }
    assert len(sent) == 8


async def test_a_trace_that_a_caller_names_is_kept(app: Holdfast, exporter: InMemorySpanExporter) -> None:
    @app.task()
    async def small() -> None: ...

    named = f"00-{1:032x}-{2:016x}-01"
    handle = await small.options(trace=named).enqueue()
    stored = await fetch_value(
        app.database,
        "select trace ->> 'traceparent' from holdfast.jobs where id = $1",
        handle.id,
    )
    assert stored == named


async def test_the_last_job_of_a_run_joins_the_trace_in_which_the_run_was_started(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    @app.task()
    async def small() -> None: ...

    @app.task(queue="last")
    async def after() -> None: ...

    with trace.get_tracer("web").start_as_current_span("POST /imports") as request:
        async with app.run("import", on_complete=after.call()) as run:
            await small.options(run=run).enqueue()
    async with working(app, "default", "last"):
        await run.wait("60s")
        (last,) = await app.jobs(task="after")
        await ended(app.job(last.id))
    spans = Spans(exporter)
    assert {context_of(span).trace_id for span in spans.all} == {request.get_span_context().trace_id}
    assert parent_of(spans.one("process last")) == id_of(spans.one("POST /imports"))


async def test_a_tracer_that_fails_costs_no_job(
    app: Holdfast,
    exporter: InMemorySpanExporter,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    @app.task()
    async def small() -> int:
        return 7

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no spans today")

    handle = await small.enqueue()
    assert app.tracer is not None
    monkeypatch.setattr(type(app.tracer), "start", fails)
    async with working(app):
        assert (await ended(handle)).output == 7
    assert "trace.failed" in caplog.text
