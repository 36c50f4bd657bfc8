"""Enqueues as producer spans; the context of the span is stored with its jobs."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.client.enqueue import EnqueueOne, Store, store
from holdfast.client.enqueue_options import Wire
from holdfast.client.new_job import NewJob, queues_of
from holdfast.db.statement import Fetcher
from holdfast.model.job import Enqueued
from holdfast.telemetry import trace_names as names
from holdfast.telemetry.tracer import Attributes, Carrier, Kind, Tracer

TRACE = "trace"  # the option


class TracedEnqueuer:
    """A span for each job, also where concurrent callers share a statement."""

    def __init__(self, inner: EnqueueOne, tracer: Tracer) -> None:
        self._inner = inner
        self._tracer = tracer

    async def enqueue(self, job: NewJob) -> Enqueued:
        with self._tracer.span(_name([job]), Kind.PRODUCER, _attributes([job])) as span:
            (traced,) = with_trace([job], self._tracer.carrier())
            stored = await self._inner.enqueue(traced)
            span.set({names.MESSAGING_MESSAGE_ID: str(stored.id), names.CREATED: stored.created})
            return stored

    async def close(self) -> None:
        await self._inner.close()


class TracedStore:
    """A span for each statement of a bulk, or of an enqueue on the caller's own connection."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    async def __call__(self, on: Fetcher, batch: Sequence[NewJob], /, *, notify: bool) -> list[Enqueued]:
        with self._tracer.span(_name(batch), Kind.PRODUCER, _attributes(batch)) as span:
            stored = await store(on, with_trace(batch, self._tracer.carrier()), notify=notify)
            if len(stored) == 1:
                span.set({names.MESSAGING_MESSAGE_ID: str(stored[0].id), names.CREATED: stored[0].created})
            return stored


def store_with(tracer: Tracer | None) -> Store:
    return store if tracer is None else TracedStore(tracer)


def with_trace(batch: Sequence[NewJob], carrier: Carrier | None) -> Sequence[NewJob]:
    """The jobs in this trace, but for those that name another. Jobs that shared their options still do."""
    if carrier is None:
        return batch
    made: dict[int, Wire] = {}
    return [
        job
        if TRACE in job.options
        else job._replace(options=made.setdefault(id(job.options), {**job.options, TRACE: carrier}))
        for job in batch
    ]


def followed_in_trace(options: Mapping[str, Any], tracer: Tracer | None) -> Mapping[str, Any]:
    """The options of a run whose `on_complete` joins the trace in which the run is started."""
    last, carrier = options.get("on_complete"), None if tracer is None else tracer.carrier()
    if last is None or carrier is None or TRACE in last:
        return options
    return {**options, "on_complete": {**last, TRACE: carrier}}


def _name(batch: Sequence[NewJob]) -> str:
    return names.enqueue_span(_shared(queues_of(batch)) or "several queues")


def _attributes(batch: Sequence[NewJob]) -> Attributes:
    return {
        names.MESSAGING_SYSTEM: names.SYSTEM,
        names.MESSAGING_OPERATION_NAME: names.ENQUEUE,
        names.MESSAGING_OPERATION_TYPE: names.SEND,
        names.MESSAGING_DESTINATION: _shared(queues_of(batch)),
        names.MESSAGING_BATCH: len(batch) if len(batch) > 1 else None,
        names.TASK: _shared({job.task for job in batch}),
    }


def _shared(values: set[str]) -> str | None:
    return next(iter(values)) if len(values) == 1 else None
