"""Attempts as spans. Only a worker of an app that traces has this runner; others run none of this code."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import End, Verb
from holdfast.telemetry import trace_names as names
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.tracer import Attributes, Kind, Span, Tracer, attempt_traceparent
from holdfast.worker.attempt.attempt_runner import AttemptRunner
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.context.database_port import DatabasePort
from holdfast.worker.worker_state import WorkerState


class AttemptSpans:
    """The span of an attempt and, in a pipeline, that of the stage inside it."""

    __slots__ = ("attempt", "stage")

    def __init__(self, attempt: Span, stage: Span | None) -> None:
        self.attempt = attempt
        self.stage = stage

    @property
    def inner(self) -> Span:
        return self.stage or self.attempt


class TracedAttemptRunner(AttemptRunner):
    def __init__(self, worker: WorkerState, port: DatabasePort, tracer: Tracer) -> None:
        super().__init__(worker, port)
        self._tracer = tracer
        self._spans: dict[Attempt, AttemptSpans] = {}

    async def _run(self, attempt: Attempt) -> None:
        spans = self._begun(attempt.job)
        if spans is None:
            return await super()._run(attempt)
        self._spans[attempt] = spans
        with self._tracer.use(spans.inner), _known(spans.attempt):
            await super()._run(attempt)
        return None

    def _ended(self, attempt: Attempt) -> Attempt:
        spans = self._spans.pop(attempt, None)
        if spans is not None and attempt.end is not None:
            attempt.end = self._recorded(spans, attempt.end)
        return super()._ended(attempt)

    def _begun(self, job: ClaimedJob) -> AttemptSpans | None:
        """None if the tracer failed: a job does not depend on it."""
        try:
            return self._start(job)
        except Exception as exc:
            emit(Event.TRACE_FAILED, job=job.id, because=exc)
            return None

    def _start(self, job: ClaimedJob) -> AttemptSpans:
        known = {} if job.trace_json is None else json.loads(job.trace_json)
        last = known.pop("attempt", None)
        linked = None if last is None else {last: names.ATTEMPT_BEFORE}
        name, attributes = names.attempt_span(job.queue), self._attributes(job)
        attempt = self._tracer.start(name, Kind.CONSUMER, attributes, known or None, linked)
        if job.stage is None:
            return AttemptSpans(attempt, None)
        about: Attributes = {names.STAGE: job.stage, names.VISIT: job.visit}
        return AttemptSpans(attempt, self._tracer.below(attempt, names.stage_span(job.stage), about))

    def _attributes(self, job: ClaimedJob) -> Attributes:
        return {
            names.MESSAGING_SYSTEM: names.SYSTEM,
            names.MESSAGING_OPERATION_NAME: names.PROCESS,
            names.MESSAGING_OPERATION_TYPE: names.PROCESS,
            names.MESSAGING_DESTINATION: job.queue,
            names.MESSAGING_MESSAGE_ID: str(job.id),
            names.MESSAGING_CLIENT_ID: str(self._worker.me),
            names.TASK: job.task,
            names.ATTEMPT: job.attempt,
            names.GENERATION: job.generation,
            names.RUN: None if job.run is None else str(job.run),
            names.STAGE: job.stage,
            names.ENDPOINT: job.endpoint,
            # Until a slot was free and, with an endpoint, until the endpoint admitted it.
            names.WAIT_SECONDS: (job.started_at - job.ready_at).total_seconds(),
        }

    def _recorded(self, spans: AttemptSpans, end: End) -> End:
        """Ends the spans, and returns the end with the context to which the next attempt is linked."""
        try:
            return _closed(spans, end)
        except Exception as exc:
            emit(Event.TRACE_FAILED, because=exc)
            return end


@contextmanager
def _known(attempt: Span) -> Iterator[None]:
    """For an end that the handler's own transaction commits."""
    before = attempt_traceparent.set(attempt.traceparent)
    try:
        yield
    finally:
        attempt_traceparent.reset(before)


def _closed(spans: AttemptSpans, end: End) -> End:
    detail = {} if end.detail is None else json.loads(end.detail)
    both = [spans.attempt] if spans.stage is None else [spans.stage, spans.attempt]
    spans.attempt.set({names.END: end.verb.value, names.UNITS: detail.get("units")})
    for span in both:
        if end.verb is Verb.FAIL:
            span.set({names.ERROR_CLASS: detail.get("class")})
            span.fail(str(detail.get("type")))
        span.end()
    traceparent = spans.attempt.traceparent
    # A job that is completed here has no next attempt.
    if end.verb is Verb.COMPLETE or traceparent is None:
        return end
    return end._replace(detail=json.dumps({**detail, "trace": traceparent}, ensure_ascii=False))
