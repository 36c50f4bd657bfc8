"""A report: what happened in a period, a tree of plain values. JSON is this tree; text and HTML show it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from holdfast.model.endpoint import Circuit
from holdfast.model.id import JobId
from holdfast.model.stats import ErrorGroup
from holdfast.model.worker import LeftWorkers, WorkerSummary

T = TypeVar("T")

OPEN_SLICE = timedelta(minutes=5)  # a shorter one that lasts until the end of this minute looks like a fall
LONGEST_PERIOD = timedelta(days=30)  # as long as statistics are kept, unless that is changed


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """The first items of a list, and how many more there are. `is_partial`: not all rows were looked at."""

    items: list[T]
    more: int = 0
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` to `until`, in `slices` of equal length; `until` is the end of the current minute."""

    since: datetime
    until: datetime
    length: timedelta
    slice: timedelta
    slices: int

    @property
    def last_is_open(self) -> bool:
        """Whether so much of the last slice is still to come that its counts look like a fall to nothing."""
        return self.slices > 1 and self.slice < OPEN_SLICE


@dataclass(frozen=True, slots=True)
class Ends:
    """How jobs ended. `jobs` is the sum of the four ends; `advanced` counts stage visits that led to another
    stage, and the figures after it are of jobs and these visits. `failed` counts attempts that failed, timed
    out or lost their worker. Percentiles are upper edges of buckets a quarter wide.
    """

    jobs: int
    completed: int
    rejected: int
    cancelled: int
    dead: int
    advanced: int
    failed: int
    retried: int
    retried_completed: int
    units: float
    cost: float
    wait_mean: timedelta | None
    wait_p50: timedelta | None
    wait_p95: timedelta | None
    wait_p99: timedelta | None
    run_mean: timedelta | None
    run_p50: timedelta | None
    run_p95: timedelta | None
    run_p99: timedelta | None

    @property
    def visits(self) -> int:
        """What ended: jobs, and visits of stages that led to another stage."""
        return self.jobs + self.advanced

    @property
    def successes(self) -> int:
        return self.completed + self.advanced


NO_ENDS = Ends(0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, None, None, None, None, None, None, None, None)


@dataclass(frozen=True, slots=True)
class Retries:
    """Of the jobs and stage visits that ended: how many were tried again, and how many of those went well."""

    jobs: int
    share: float | None
    completed: int
    success: float | None


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the period."""

    at: datetime
    ends: Ends


@dataclass(frozen=True, slots=True)
class Need:
    """How many workers, each with so many slots, start every job within 30 seconds."""

    workers: int
    slots: int
    rate_per_minute: float
    forecast_per_minute: float
    seconds_per_job: float | None


@dataclass(frozen=True, slots=True)
class QueueReport:
    """`more_than` names the counts that stopped at 10,000; `sampled_ready` and its like are the exact counts
    of the newest sample, at `sampled_at`. `oldest_ready` is an age, `workers` how many live ones take its
    jobs.
    """

    name: str
    ends: Ends
    ready: int
    running: int
    scheduled: int
    waiting: int
    more_than: list[str]
    oldest_ready: timedelta | None
    is_paused: bool
    workers: int
    need: Need | None
    sampled_at: datetime | None
    sampled_waiting: int | None
    sampled_scheduled: int | None
    sampled_ready: int | None
    sampled_running: int | None


@dataclass(frozen=True, slots=True)
class TaskReport:
    name: str
    ends: Ends


@dataclass(frozen=True, slots=True)
class ModelReport:
    """The recorded calls of a model, and what they cost."""

    name: str
    calls: int
    errors: int
    units: float
    cost: float
    mean: timedelta | None
    p50: timedelta | None
    p95: timedelta | None


@dataclass(frozen=True, slots=True)
class EndpointSlice:
    """`limit` and `in_flight` are the highest of the slice; all are 0 where there was no call."""

    at: datetime
    started: int
    ok: int
    failed: int
    limited: int
    mean: timedelta | None
    limit: int
    in_flight: int


@dataclass(frozen=True, slots=True)
class EndpointReport:
    """An endpoint now, and its calls since `since`, at most six hours ago. `limited` counts answers 429,
    `failed` the calls that speak against the endpoint, `other` those that say nothing of it.
    """

    name: str
    circuit: Circuit
    limit: int
    in_flight: int
    max: float
    since: datetime
    started: int
    ok: int
    failed: int
    limited: int
    other: int
    units: float
    mean: timedelta | None
    spent_today: float
    budget_per_day: float | None
    fallback: str | None
    slices: list[EndpointSlice]

    @property
    def ended(self) -> int:
        return self.ok + self.failed + self.limited + self.other

    @property
    def highest_limit(self) -> int:
        return max((one.limit for one in self.slices), default=0)


@dataclass(frozen=True, slots=True)
class StageReport:
    """A stage of a pipeline: the visits that ended there, and the jobs that stand before it now.

    `more_than` and `sampled_ready` as in QueueReport.
    """

    name: str
    task: str
    queue: str
    endpoint: str | None
    ends: Ends
    ready: int
    running: int
    more_than: list[str]
    oldest_ready: timedelta | None
    sampled_at: datetime | None
    sampled_ready: int | None


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The stage that holds the others up, and why."""

    stage: str
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class PipelineReport:
    name: str
    version: int
    stages: list[StageReport]
    bottleneck: Bottleneck | None


@dataclass(frozen=True, slots=True)
class SlowJob:
    """`ran` is the time of its last attempt, `waited` the time that it was ready before."""

    id: JobId
    queue: str
    task: str
    stage: str | None
    state: str
    attempt: int
    waited: timedelta | None
    ran: timedelta
    units: float | None
    ended_at: datetime


class Weight(StrEnum):
    """How bad a problem is."""

    BAD = "bad"
    ATTENTION = "attention"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to look at: `section` is where the report shows it, `command` what shows more, `subject` the
    name of the queue or endpoint, if it is about one. `since`: when it began, where that is known.
    """

    weight: Weight
    title: str
    words: str
    section: str
    command: str
    subject: str = ""
    since: datetime | None = None


class EndsOverTime(Protocol):
    """What charts over time need of a report, or of an overview."""

    @property
    def period(self) -> Period: ...
    @property
    def ended(self) -> Ends: ...
    @property
    def timeline(self) -> list[Slice]: ...


@dataclass(frozen=True, slots=True)
class Report:
    """`notes` say where a look was bounded, so that a figure is less than the whole."""

    generated_at: datetime
    period: Period
    problems: list[Problem]
    ended: Ends
    ended_before: Ends
    retries: Retries
    timeline: list[Slice]
    queues: Part[QueueReport]
    tasks: Part[TaskReport]
    models: Part[ModelReport]
    errors: Part[ErrorGroup]
    endpoints: Part[EndpointReport]
    pipelines: Part[PipelineReport]
    slowest: Part[SlowJob]
    workers: Part[WorkerSummary]
    left_workers: Part[LeftWorkers]
    notes: list[str]
