"""A queue as a reader sees it, and what an operator's verb did to each job."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from holdfast.model.id import JobId

MOST_COUNTED = 10_000  # of a queue's waiting, scheduled or ready jobs


class CancelResult(StrEnum):
    """`asked`: it is running, its worker was told. `busy`: somebody is changing it right now, ask again."""

    CANCELLED = "cancelled"
    ASKED = "asked"
    ENDED = "ended"
    BUSY = "busy"
    NOT_FOUND = "not_found"


class ReplayResult(StrEnum):
    """`live`: it has not ended. Another job has its unique key (`conflict`) or its place (`replaced`)."""

    REPLAYED = "replayed"
    LIVE = "live"
    CONFLICT = "conflict"
    REPLACED = "replaced"
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class CancelledJob:
    id: JobId
    result: CancelResult


@dataclass(frozen=True, slots=True)
class ReplayedJob:
    id: JobId
    result: ReplayResult


@dataclass(frozen=True, slots=True)
class FullPause:
    """The pause of all queues."""

    paused_at: datetime
    reason: str | None
    actor: str | None


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """A queue and the number of its live jobs by state. `more_than` names the counts that were cut off, at
    MOST_COUNTED a state: there are more than they say.
    """

    name: str
    paused_at: datetime | None
    paused_reason: str | None
    waiting: int
    scheduled: int
    ready: int
    running: int
    oldest_ready: datetime | None
    max_concurrent: int | None
    rate: str | None
    more_than: list[str]


@dataclass(frozen=True, slots=True)
class QueueDetails:
    """A queue with its policy. The fields are the columns of queue_view, in their order."""

    name: str
    paused_at: datetime | None
    paused_reason: str | None
    waiting: int
    scheduled: int
    ready: int
    running: int
    oldest_ready: datetime | None
    priority: int | None
    max_failures: int | None
    max_losses: int
    retry: Any
    timeout: timedelta | None
    max_wait: timedelta
    rescue_delay: timedelta
    cancel_grace: timedelta
    ageing: float | None
    weight: float
    detail: str
    retention: timedelta
    payload_limit: int
    endpoint: str | None
    notify: bool
    max_concurrent: int | None
    rate: str | None
    created_at: datetime
    more_than: list[str]
