"""A snapshot of queues, workers, running jobs and recent errors."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from holdfast.model.job import JobProgress
from holdfast.model.report import Problem


@dataclass(frozen=True, slots=True)
class OverviewQueue:
    """`per_minute` counts ends of the last ten minutes, `enqueued_per_minute` new jobs, without those of
    pipelines; `empty_in` is how long ready and running jobs last at the difference of the two, None if they
    do not get fewer. `dead` counts open dead letters; `more_than` names the counts that were capped, of which
    the newest sample has exact ones. `is_served`: false if it has ready jobs and no live worker takes them.
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
    enqueued_per_minute: float = 0.0
    empty_in: timedelta | None = None
    is_served: bool = True


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
    queue: str = ""


@dataclass(frozen=True, slots=True)
class OverviewEnd:
    """A job that ended lately; `ran` is the time of its last attempt."""

    id: UUID
    queue: str
    task: str
    state: str
    attempt: int
    reason: str | None
    ran: timedelta | None
    ended: datetime


@dataclass(frozen=True, slots=True)
class OverviewError:
    """Failed attempts with the same error."""

    type: str | None
    message: str | None
    attempts: int
    last: datetime


@dataclass(frozen=True, slots=True)
class Overview:
    """`verdict` is `ok`, or the weight of the worst of the `problems`, which say what needs a look."""

    now: datetime
    queues: list[OverviewQueue]
    workers: list[OverviewWorker]
    errors: list[OverviewError]
    running: list[OverviewJob]
    endpoints: list[OverviewEndpoint] = field(default_factory=list)
    ended: list[OverviewEnd] = field(default_factory=list)
    has_more_queues: bool = False
    verdict: str = "ok"
    problems: list[Problem] = field(default_factory=list)
