"""From the driver's records to plain objects."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from asyncpg import Record

from holdfast.model.attempt import Attempt
from holdfast.model.endpoint import Circuit, EndpointSecond, EndpointSummary, Mode
from holdfast.model.id import JobId
from holdfast.model.job import ClaimedJob, Enqueued, Job, JobProgress
from holdfast.model.payload import decode
from holdfast.model.queue import (
    CancelledJob,
    CancelResult,
    QueueDetails,
    QueueSummary,
    ReplayedJob,
    ReplayResult,
)
from holdfast.model.run import RunProgress, RunSummary
from holdfast.model.state import State
from holdfast.model.worker import LostEnd, Renewal, Settled, StopRequest, WorkerSummary


def claimed_job(row: Record) -> ClaimedJob:
    return ClaimedJob(*row)


def settled(rows: list[Record]) -> Settled:
    """Sorts the rows of settle_and_claim: kind, the columns of claim_jobs, due_in."""
    claimed: list[ClaimedJob] = []
    notes: list[Record] = []
    for row in rows:
        if row[0] == "job":
            claimed.append(ClaimedJob(*row[1:-1]))
        else:
            notes.append(row)
    lost = [LostEnd(note["job_id"], note["token"]) for note in notes if note["kind"] == "lost"]
    due_in = next((note["due_in"] for note in notes if note["kind"] == "next"), None)
    return Settled(claimed, lost, due_in, any(note["kind"] == "lapsed" for note in notes))


def renewal(row: Record) -> Renewal:
    return Renewal(row["lease_until"], row["known"], row["rescued"], row["drain"])


def stop_request(row: Record) -> StopRequest:
    return StopRequest(row["job_id"], row["token"], row["reason"])


def enqueued(row: Record) -> Enqueued:
    """By position, since the row may be another driver's, some of which have ids as text."""
    found: UUID | str = row[0]
    return Enqueued(JobId(found if isinstance(found, UUID) else UUID(found)), row[1])


def cancelled_job(row: Record) -> CancelledJob:
    return CancelledJob(row["job_id"], CancelResult(row["result"]))


def replayed_job(row: Record) -> ReplayedJob:
    return ReplayedJob(row["job_id"], ReplayResult(row["result"]))


def job(row: Record) -> Job:
    return Job(
        id=row["id"],
        queue=row["queue"],
        task=row["task"],
        state=State(row["state"]),
        priority=row["priority"],
        payload=_decoded(row["payload"]),
        output=_decoded(row["output"]),
        reason=row["reason"],
        attempt=row["attempt"],
        failures=row["failures"],
        losses=row["losses"],
        deferrals=row["deferrals"],
        generation=row["generation"],
        run=row["run"],
        parent=row["parent"],
        stage=row["stage"],
        labels=_decoded(row["labels"]) or {},
        worker=row["worker"],
        endpoint=row["endpoint"] or None,
        group=row["group"] or None,
        order_key=row["order_key"],
        unique_key=row["unique_key"],
        units=row["units"],
        timeout=row["timeout"],
        deadline=row["deadline"],
        max_failures=row["max_failures"],
        created_at=row["created_at"],
        due_at=row["due_at"],
        ready_at=row["ready_at"],
        started_at=row["started_at"],
        cancel_asked_at=row["cancel_asked_at"],
        ended_at=row["ended_at"],
        progress=_progress(row["progress"]),
    )


def _progress(text: str | None) -> JobProgress | None:
    if text is None:
        return None
    found = decode(text)
    return JobProgress(**{**found, "updated_at": datetime.fromisoformat(found["updated_at"])})


def run_progress(row: Record) -> RunProgress:
    return RunProgress(*row)


def queue_summary(row: Record) -> QueueSummary:
    return QueueSummary(
        name=row["name"],
        paused_at=row["paused_at"],
        paused_reason=row["paused_reason"],
        waiting=row["waiting"],
        scheduled=row["scheduled"],
        ready=row["ready"],
        running=row["running"],
        oldest_ready=row["oldest_ready"],
        max_concurrent=row["max_concurrent"],
        rate=row["rate"],
        more_than=row["more_than"],
    )


def queue_details(row: Record) -> QueueDetails:
    values = dict(row)
    return QueueDetails(**{**values, "retry": _decoded(values["retry"])})


def endpoint_summary(row: Record) -> EndpointSummary:
    values = dict(row)
    return EndpointSummary(
        **{
            **values,
            "mode": Mode(values["mode"]),
            "circuit": Circuit(values["circuit"]),
            "shares": _decoded(values["shares"]),
        }
    )


def endpoint_second(row: Record) -> EndpointSecond:
    at, started, ok, failed, limited, other, units, mean, limit, in_flight, circuit, rate = row
    took = None if mean is None else timedelta(seconds=mean)
    state = Circuit(circuit)
    return EndpointSecond(at, started, ok, failed, limited, other, units, took, limit, in_flight, state, rate)


def attempt(row: Record) -> Attempt:
    return Attempt(*row)


def worker_summary(row: Record) -> WorkerSummary:
    values = dict(row)
    return WorkerSummary(**{**values, "metadata": _decoded(values["metadata"]) or {}})


def run_summary(row: Record) -> RunSummary:
    return RunSummary(*row)


def _decoded(text: str | None) -> Any:
    return None if text is None else decode(text)
