"""A snapshot of queues, workers, running jobs and recent errors."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from holdfast.model.job import JobProgress
from holdfast.model.report import Problem

LATE = timedelta(minutes=5)  # a queue whose oldest ready job has waited for longer


@dataclass(frozen=True, slots=True)
class OverviewQueue:
    """`per_minute` counts ends of the last ten minutes, `enqueued_per_minute` new jobs, or for a stage of a
    pipeline the jobs that came to it, by what left and what the queue grew by; `empty_in` is how long ready
    and running jobs last at the difference of the two, or at the speed at which they got fewer in the last
    three minutes; None if they do not get fewer. `dead` counts open dead
    letters; `more_than` names the counts that were capped, of which the newest sample has exact ones.
    `is_served`: false if it has ready jobs and no live worker takes them. `paused_by`, `workers`, the number
    of those that take its jobs, and `endpoint`, its own or that of its stage, are None for a reader with a
    scope.
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
    paused_at: datetime | None = None
    paused_reason: str | None = None
    paused_by: str | None = None
    workers: int | None = None
    endpoint: str | None = None
    max_concurrent: int | None = None

    @property
    def grows(self) -> bool:
        """More jobs come than leave, some wait, and they do not get fewer just now."""
        return self.ready > 0 and self.enqueued_per_minute > self.per_minute and self.empty_in is None

    def is_stalled(self, now: datetime) -> bool:
        """Ready jobs wait for long, and none has left in ten minutes."""
        waited = now - self.oldest if self.oldest else timedelta(0)
        return self.ready > 0 and not self.paused and not self.per_minute and waited > LATE

    def forecast(self, now: datetime) -> timedelta | None:
        """When it will be empty, if it will: a paused queue or one that is stalled does not become empty."""
        lasts = self.ready > 0 and not self.paused and not self.is_stalled(now)
        return self.empty_in if lasts else None

    @property
    def lacks_worker(self) -> bool:
        """It is paused, and no live worker takes its ready jobs. `is_served` does not look at paused ones."""
        return self.paused and self.workers == 0 and self.ready > 0

    @property
    def is_full(self) -> bool:
        """It runs as many jobs at once as its own limit allows."""
        return self.max_concurrent is not None and self.running >= self.max_concurrent


@dataclass(frozen=True, slots=True)
class OverviewWorker:
    host: str | None
    pid: int | None
    state: str
    running: int
    slots: int
    version: str | None


@dataclass(frozen=True, slots=True)
class Capacity:
    """Of all live workers, without those of Holdfast's own jobs."""

    workers: int = 0
    slots: int = 0


@dataclass(frozen=True, slots=True)
class OverviewEndpoint:
    name: str
    circuit: str
    open_until: datetime | None
    running: int
    limit: int


@dataclass(frozen=True, slots=True)
class OverviewJob:
    """A running job; `progress` is None if it has reported none."""

    id: UUID
    task: str
    started: datetime
    progress: JobProgress | None
    queue: str = ""
    host: str | None = None


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
class Parked:
    """Why scheduled and waiting jobs do not run. The fields are the columns of parked_jobs."""

    retries: int
    next_due: datetime | None
    for_signals: int
    for_children: int
    for_order: int
    for_budget: int
    is_partial: bool


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
    capacity: Capacity = field(default_factory=Capacity)
    verdict: str = "ok"
    problems: list[Problem] = field(default_factory=list)
