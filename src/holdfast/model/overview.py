"""A snapshot of queues, workers, running jobs and recent errors."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from holdfast.model.job import JobProgress


@dataclass(frozen=True, slots=True)
class OverviewQueue:
    """`per_minute` covers the last ten minutes, `dead` counts open dead letters; `more_than` names the counts
    that were capped, of which the newest sample has exact ones.
    """

    name: str
    paused: bool
    waiting: int
    scheduled: int
    ready: int
    running: int
    oldest: datetime | None
    per_minute: float
    dead: int
    more_than: list[str]
    sampled_at: datetime | None = None
    sampled_waiting: int | None = None
    sampled_scheduled: int | None = None
    sampled_ready: int | None = None
    sampled_running: int | None = None


@dataclass(frozen=True, slots=True)
class OverviewWorker:
    host: str | None
    pid: int | None
    state: str
    running: int
    slots: int
    version: str | None


@dataclass(frozen=True, slots=True)
class OverviewEndpoint:
    name: str
    circuit: str
    open_until: datetime | None
    running: int
    limit: int


@dataclass(frozen=True, slots=True)
class OverviewJob:
    """A running job that has reported its progress."""

    id: UUID
    task: str
    started: datetime
    progress: JobProgress


@dataclass(frozen=True, slots=True)
class OverviewError:
    """Failed attempts with the same error."""

    type: str | None
    message: str | None
    attempts: int
    last: datetime


@dataclass(frozen=True, slots=True)
class Overview:
    now: datetime
    queues: list[OverviewQueue]
    workers: list[OverviewWorker]
    errors: list[OverviewError]
    running: list[OverviewJob]
    endpoints: list[OverviewEndpoint] = field(default_factory=list)
    has_more_queues: bool = False
