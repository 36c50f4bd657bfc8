"""What can be watched live: the overview, a run, a job, the endpoints; and how a snapshot of each is read."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import monotonic
from typing import Any
from uuid import UUID

from holdfast.client.overview import read_overview
from holdfast.client.read_id import read_id
from holdfast.db.endpoints import list_endpoints
from holdfast.db.jobs import job_outlines
from holdfast.db.runs import run_progress
from holdfast.db.statement import Executor
from holdfast.model.access_key import Caller
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId, RunId
from holdfast.model.job import JobOutline
from holdfast.model.json_document import json_text, plain

ENDPOINTS = 100
# They change as time passes, also if nothing happens.
ESTIMATES = frozenset({"eta", "eta_low", "eta_high", "rate_per_minute", "empty_in", "words"})
ESTIMATES_EVERY = 10.0  # seconds


class Kind(StrEnum):
    OVERVIEW = "overview"
    RUN = "run"
    JOB = "job"
    ENDPOINTS = "endpoints"


@dataclass(frozen=True, slots=True)
class Subject:
    """`queues`: those that an overview is limited to. `scope`: that of the access key that watches a job,
    which does not see its worker, nor the job while it is outside of the scope. `caller` is one with it.
    """

    kind: Kind
    id: UUID | None = None
    queues: tuple[str, ...] | None = None
    scope: str | None = None
    caller: Caller | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.kind if self.id is None else f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`text` is None if there is no such subject any more."""

    value: Any
    text: str | None = None
    read_at: float = field(default_factory=monotonic)


def read_subject(text: str) -> Subject:
    """`overview`, `endpoints`, `run:ID` or `job:ID`."""
    name, colon, found = text.partition(":")
    if name in (Kind.RUN, Kind.JOB) and colon:
        return Subject(Kind(name), read_id(found))
    if name in (Kind.OVERVIEW, Kind.ENDPOINTS) and not colon:
        return Subject(Kind(name))
    raise InvalidOption(
        f"watch must be overview, endpoints, run:ID or job:ID (got {text[:100]!r}).",
        "see the guide to the HTTP API",
    )


def is_news(old: Snapshot, new: Snapshot) -> bool:
    """Estimates alone are news only every ten seconds: they change with every look."""
    if _without(old.value, frozenset({"now"})) == _without(new.value, frozenset({"now"})):
        return False
    if new.read_at - old.read_at >= ESTIMATES_EVERY:
        return True
    return bool(_without(old.value, ESTIMATES | {"now"}) != _without(new.value, ESTIMATES | {"now"}))


def _without(value: Any, names: frozenset[str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _without(member, names) for name, member in value.items() if name not in names}
    return [_without(member, names) for member in value] if isinstance(value, list) else value


async def read_snapshots(
    on: Executor, subjects: Sequence[Subject]
) -> AsyncIterator[tuple[Subject, Snapshot]]:
    """One after the other, so that all that is watched never needs more than one connection."""
    jobs = {JobId(one.id) for one in subjects if one.kind is Kind.JOB and one.id is not None}
    outlines = {one.id: one for one in (await job_outlines(on, [*jobs]) if jobs else ())}
    for subject in subjects:
        if subject.kind is Kind.JOB:
            found = outlines.get(JobId(subject.id)) if subject.id else None
            yield subject, _snapshot(_seen(subject.caller, found) if found and subject.caller else found)
        else:
            yield subject, _snapshot(await _read(on, subject))


def _seen(caller: Caller, job: JobOutline) -> JobOutline | None:
    return replace(job, worker=None) if caller.sees(job.queue, job.task) else None


async def _read(on: Executor, subject: Subject) -> Any:
    if subject.kind is Kind.RUN and subject.id is not None:
        return await run_progress(on, RunId(subject.id))
    if subject.kind is Kind.OVERVIEW:
        return await read_overview(on, subject.queues)
    found = await list_endpoints(on, ENDPOINTS + 1)
    return {"endpoints": found[:ENDPOINTS], "has_more": len(found) > ENDPOINTS}


def _snapshot(found: Any) -> Snapshot:
    value = plain(found)
    return Snapshot(value, None if found is None else json_text(value))
