"""A glance at the whole: queues, workers, running jobs and recent errors, at one moment."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.model.job import JobProgress


@dataclass(frozen=True, slots=True)
class GlanceQueue:
    """`per_minute` and `dead` are of the last ten minutes; `more_than` names the counts that were cut off."""

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


@dataclass(frozen=True, slots=True)
class GlanceWorker:
    host: str | None
    pid: int | None
    state: str
    running: int
    slots: int
    version: str | None


@dataclass(frozen=True, slots=True)
class GlanceJob:
    """A running job that has reported its progress."""

    id: str
    task: str
    started: datetime
    progress: JobProgress


@dataclass(frozen=True, slots=True)
class GlanceError:
    """Attempts that went wrong in the same way."""

    type: str | None
    message: str | None
    attempts: int
    last: datetime


@dataclass(frozen=True, slots=True)
class Glance:
    now: datetime
    queues: list[GlanceQueue]
    workers: list[GlanceWorker]
    errors: list[GlanceError]
    running: list[GlanceJob]
    has_more_queues: bool = False
