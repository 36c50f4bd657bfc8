"""The record of an attempt that did not succeed."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.model.id import JobId, WorkerId
from holdfast.model.state import State


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that failed, was deferred, or was lost with its worker."""

    job: JobId
    attempt: int
    outcome: str
    error_class: str | None
    error_type: str | None
    message: str | None
    place: str | None
    traceback: str | None
    worker: WorkerId | None
    host: str | None
    started_at: datetime | None
    ended_at: datetime
    retry_at: datetime | None


@dataclass(frozen=True, slots=True)
class JobError:
    """Of the latest attempt of a job that did not succeed; at most 500 characters of its message."""

    job: JobId
    error_class: str | None
    error_type: str | None
    message: str | None


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """What the database made of a failed attempt. The texts are redacted.

    `state`: scheduled, dead or cancelled. `traceback` and `reason`: only of a dead job.
    """

    job: JobId
    attempt: int
    outcome: str
    error_class: str | None
    error_type: str | None
    message: str | None
    traceback: str | None
    state: State
    reason: str | None
    retry_at: datetime | None
