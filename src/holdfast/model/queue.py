"""A queue as a reader sees it, and the results of cancel and replay for each job."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

INTERNAL_QUEUE = "holdfast"  # of Holdfast's own jobs; this name and those below it are reserved
MOST_COUNTED = 10_000  # of a queue's waiting, scheduled or ready jobs


class CancelResult(StrEnum):
    """`asked`: its worker got a request. `busy`: another transaction is changing the job; try again."""

    CANCELLED = "cancelled"
    ASKED = "asked"
    ENDED = "ended"
    BUSY = "busy"
    NOT_FOUND = "not_found"


class ReplayResult(StrEnum):
    """`live`: it has not ended. Another job has its unique key (`conflict`) or replaced it (`replaced`)."""

    REPLAYED = "replayed"
    LIVE = "live"
    CONFLICT = "conflict"
    REPLACED = "replaced"
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class FullPause:
    """The pause of all queues."""

    paused_at: datetime
    reason: str | None
    actor: str | None


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """A queue and the number of its live jobs by state. `more_than` names the states whose count stopped at
    MOST_COUNTED; the newest sample has exact counts, as old as it is.
    """

    name: str
    paused_at: datetime | None
    paused_reason: str | None
    paused_by: str | None
    waiting: int
    scheduled: int
    ready: int
    running: int
    oldest_ready: datetime | None
    max_concurrent: int | None
    rate: str | None
    more_than: list[str]
    sampled_at: datetime | None
    sampled_waiting: int | None
    sampled_scheduled: int | None
    sampled_ready: int | None
    sampled_running: int | None


@dataclass(frozen=True, slots=True)
class QueueDetails(QueueSummary):
    """A queue with its policy."""

    priority: int | None
    max_failures: int | None
    max_losses: int
    retry: Any
    timeout: timedelta | None
    max_wait: timedelta
    rescue_delay: Any
    cancel_grace: timedelta
    ageing: float | None
    weight: float
    detail: str
    logs: str
    retention: timedelta
    payload_limit: int
    endpoint: str | None
    notify: bool
    stats_label: str | None
    created_at: datetime
