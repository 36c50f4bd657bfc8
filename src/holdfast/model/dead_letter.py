"""Dead letters: jobs that failed for good, and their triage."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from holdfast.model.attempt import Attempt
from holdfast.model.id import JobId, RunId
from holdfast.model.queue import ReplayResult
from holdfast.model.state import State


class Triage(StrEnum):
    """The state of its triage. A replay that completes resolves it, one that dies again reopens it."""

    OPEN = "open"
    INVESTIGATING = "investigating"
    RESOLVED = "resolved"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that failed for good. The fields are the columns of dead_letter_view.

    `replayed_at` is None while the job is dead; `outcome` is how its last replay ended.
    """

    job: JobId
    generation: int
    queue: str
    task: str
    run: RunId | None
    reason: str
    error_class: str | None
    error_type: str | None
    message: str | None
    place: str | None
    fingerprint: str
    died_at: datetime
    status: Triage
    assignee: str | None
    replays: int
    replayed_at: datetime | None
    replayed_by: str | None
    outcome: State | None
    replaced_by: JobId | None


@dataclass(frozen=True, slots=True)
class LetterPlace:
    """A position in the list of dead letters, from which the next page starts."""

    died_at: datetime
    job: JobId


@dataclass(frozen=True, slots=True)
class LetterGroup:
    """Dead letters with the same fingerprint. `is_partial`: more than the 100,000 that were read."""

    fingerprint: str
    error_class: str | None
    error_type: str | None
    message: str | None
    place: str | None
    reasons: list[str]
    tasks: list[str]
    letters: int
    open: int
    last_hour: int
    hour_before: int
    first_at: datetime
    last_at: datetime
    sample: JobId
    is_partial: bool


@dataclass(frozen=True, slots=True)
class LetterCause:
    """The most frequent cause of the open dead letters of a queue, as the newest of them tells it."""

    queue: str
    fingerprint: str
    reason: str
    error_type: str | None
    message: str | None
    letters: int
    first_at: datetime


@dataclass(frozen=True, slots=True)
class LetterCounts:
    """Dead letters by status. `is_partial`: there are more than the 100,000 newest, which were counted."""

    of: Mapping[str, int]
    is_partial: bool

    @property
    def all(self) -> int:
        return sum(self.of.values())


@dataclass(frozen=True, slots=True)
class Note:
    at: datetime
    author: str | None
    note: str


@dataclass(frozen=True, slots=True)
class LetterSheet:
    """A dead letter with its job's payload, its whole error history, latest attempt first, and what people
    wrote on it. `created_at` is None, and the payload with it, if the job itself was pruned.
    """

    letter: DeadLetter
    attempts: list[Attempt]
    notes: list[Note]
    payload: Any
    labels: dict[str, Any]
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class LetterReplays:
    """The result of one call of a bulk replay; `next` is where the next call starts, None at the end."""

    results: dict[JobId, ReplayResult]
    next: LetterPlace | None
