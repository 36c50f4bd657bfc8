"""One trace for the whole life of a job: producer, attempts, stages, steps, and calls of models and tools."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from holdfast.client.app import Holdfast
from holdfast.client.pipeline import PipelineHandle
from holdfast.db.statement import fetch_value
from holdfast.model.state import State
from holdfast.pipeline.define import Pipeline, Stage
from holdfast.testing import Answer, Refusal, ToolCall
from holdfast.worker.context.job_context import JobContext
from tests.agent.scene import WRITTEN, Scene, Triage, scene
from tests.builders import to_json
from tests.telemetry.spans import Spans, context_of, id_of, linked_from, parent_of
from tests.worker.working import ended, working

STAGES = ("fetch", "triage", "check", "publish")
PAYLOAD = {"title": "Boats"}
ANSWERS = (Answer(tool_calls=(ToolCall("write_to_database", WRITTEN),), tokens_in=11), "done")


@pytest.fixture
async def app(database_url: str, exporter: InMemorySpanExporter) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url, name="tests", tracing=True) as opened:
        yield opened


def pipeline(s: Scene) -> PipelineHandle:
    """Four stages. The first fails once, the second asks a model, the third runs in a thread."""
    handlers = trace.get_tracer("the handler's own")

    @s.app.task(retry=[0, 0])
    async def fetch(title: str, ctx: JobContext) -> str:
        if ctx.failures == 0:
            raise ValueError("a secret that no trace may show")

        async def load() -> str:
            with handlers.start_as_current_span("own load"):
                return title.upper()

        loaded: str = await ctx.step("load", load)
        return loaded

    @s.app.task()
    def check(title: str, ctx: JobContext) -> int:
        with handlers.start_as_current_span("own check"):
            counted: int = ctx.blocking.step("count", lambda: len(title))
        return counted

    @s.app.task()
    async def publish(title: str) -> str:
        return f"{title}!"

    tasks: list[Any] = [fetch, s.agent(output=Triage), check, publish]
    stages = [Stage(name, task=task) for name, task in zip(STAGES, tasks, strict=True)]
    return s.app.pipeline(Pipeline("posts", stages))


async def from_python(app: Holdfast, posts: PipelineHandle) -> tuple[UUID, int, int]:
    """The job, and trace and span to which its attempts belong."""
    with trace.get_tracer("web").start_as_current_span("POST /posts") as request:
        handle = await posts.enqueue(**PAYLOAD)
    return handle.id, request.get_span_context().trace_id, 0


async def from_sql(app: Holdfast, posts: PipelineHandle) -> tuple[UUID, int, int]:
    """As a trigger or a program in another language does it."""
    traceparent = f"00-{0xABC:032x}-{0xDEF:016x}-01"
    job = await fetch_value(
        app.database,
        "select job_id from holdfast.enqueue_one('fetch', $1::json, $2::jsonb)",
        to_json(PAYLOAD),
        to_json({"pipeline": "posts", "trace": {"traceparent": traceparent, "tracestate": "vendor=7"}}),
    )
    return job, 0xABC, 0xDEF


@pytest.mark.parametrize("producer", [from_python, from_sql])
async def test_one_trace_through_four_stages_a_retry_and_a_model_call(
    app: Holdfast,
    exporter: InMemorySpanExporter,
    producer: Callable[[Holdfast, PipelineHandle], Awaitable[tuple[UUID, int, int]]],
) -> None:
    async with scene(app, *ANSWERS) as s:
        posts = pipeline(s)
        await app.declare()
        job, trace_id, producer_id = await producer(app, posts)
        async with working(app, *(f"posts.{stage}" for stage in STAGES)):
            done = await ended(app.job(job))
    assert (done.state, done.output) == (State.COMPLETED, "Boats!")
    spans = Spans(exporter)
    assert {context_of(span).trace_id for span in spans.all} == {trace_id}
    if producer is from_python:
        sent = spans.one("enqueue posts.fetch")
        assert parent_of(sent) == id_of(spans.one("POST /posts"))
        check_producer(sent, job)
        producer_id = id_of(sent)
    else:
        assert spans.of(SpanKind.PRODUCER) == []
    attempts = spans.of(SpanKind.CONSUMER)
    check_attempts(attempts, job, producer_id)
    check_inside(spans, attempts)
    check_calls(spans)
    if producer is from_sql:
        assert {context_of(one).trace_state.get("vendor") for one in spans.all} == {"7"}
    assert "secret" not in " ".join(span.to_json() for span in spans.all)


def check_producer(span: ReadableSpan, job: UUID) -> None:
    assert span.kind is SpanKind.PRODUCER
    assert dict(span.attributes or {}) == {
        "messaging.system": "holdfast",
        "messaging.operation.name": "enqueue",
        "messaging.operation.type": "send",
        "messaging.destination.name": "posts.fetch",
        "messaging.message.id": str(job),
        "holdfast.task": "fetch",
        "holdfast.created": True,
    }


def check_attempts(attempts: list[ReadableSpan], job: UUID, producer_id: int) -> None:
    """All belong to the producer; each is linked to the one before."""
    queues = ["fetch", "fetch", "triage", "check", "publish"]
    assert [span.name for span in attempts] == [f"process posts.{queue}" for queue in queues]
    assert {parent_of(span) for span in attempts} == {producer_id}
    ids = [id_of(span) for span in attempts]
    assert [linked_from(span) for span in attempts] == [[], *([one] for one in ids[:-1])]
    told = [dict(span.attributes or {}) for span in attempts]
    assert [one["holdfast.attempt"] for one in told] == [1, 2, 3, 4, 5]
    assert [one["holdfast.end"] for one in told] == ["fail", *["advance"] * 4]
    assert [one["holdfast.stage"] for one in told] == queues
    assert {one["messaging.message.id"] for one in told} == {str(job)}
    assert {one["messaging.operation.type"] for one in told} == {"process"}
    assert all(float(str(one["holdfast.wait_seconds"])) >= 0 for one in told)
    first, *rest = attempts
    assert (first.status.status_code, told[0]["error.type"]) == (StatusCode.ERROR, "ValueError")
    assert told[0]["holdfast.error.class"] == "transient"
    assert {span.status.status_code for span in rest} == {StatusCode.UNSET}


def check_inside(spans: Spans, attempts: list[ReadableSpan]) -> None:
    """Each attempt has a stage; what handlers do is inside the stage, their own spans included."""
    stages = [span for span in spans.all if span.name.startswith("stage ")]
    assert [parent_of(span) for span in stages] == [id_of(span) for span in attempts]
    assert [span.name for span in stages] == [
        f"stage {stage}" for stage in ("fetch", "fetch", "triage", "check", "publish")
    ]
    assert parent_of(spans.one("step load")) == id_of(stages[1])
    assert parent_of(spans.one("own load")) == id_of(spans.one("step load"))
    assert parent_of(spans.one("own check")) == id_of(stages[3])
    assert parent_of(spans.one("step count")) == id_of(spans.one("own check"))
    assert (spans.one("step count").attributes or {})["holdfast.step"] == "count"
    assert {parent_of(span) for span in spans.named("chat m")} == {id_of(stages[2])}
    assert parent_of(spans.one("execute_tool write_to_database")) == id_of(stages[2])


def check_calls(spans: Spans) -> None:
    first, second = spans.named("chat m")
    assert first.kind is second.kind is SpanKind.CLIENT
    told = dict(first.attributes or {})
    assert isinstance(told.pop("server.port"), int)
    assert isinstance(told.pop("gen_ai.usage.output_tokens"), int)
    assert told == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.response.finish_reasons": ("tool_calls",),
        "gen_ai.usage.input_tokens": 11,
        "server.address": "127.0.0.1",
    }
    tool = spans.one("execute_tool write_to_database")
    assert tool.kind is SpanKind.INTERNAL
    assert (tool.attributes or {})["gen_ai.tool.name"] == "write_to_database"
    assert (tool.attributes or {})["gen_ai.operation.name"] == "execute_tool"


async def test_a_call_that_the_model_server_refuses_is_an_error_without_its_words(
    app: Holdfast, exporter: InMemorySpanExporter
) -> None:
    async with scene(app, Refusal(400, "the prompt of Ada is too long")) as s:
        task = s.agent(retry=())
        await app.declare()
        assert (await s.run(task)).state is State.DEAD
    spans = Spans(exporter)
    call, (attempt,) = spans.one("chat m"), spans.of(SpanKind.CONSUMER)
    assert (call.status.status_code, call.status.description) == (StatusCode.ERROR, "ModelFailed")
    assert parent_of(call) == id_of(attempt)
    (asked,) = s.asked
    assert asked.headers["traceparent"].split("-")[1:3] == [
        f"{call.context.trace_id:032x}",
        f"{id_of(call):016x}",
    ]
    assert attempt.status.status_code is StatusCode.ERROR
    assert "Ada" not in " ".join(span.to_json() for span in spans.all)
