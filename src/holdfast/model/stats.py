"""Statistics: ends and errors of a period."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from holdfast.model.id import JobId
from holdfast.model.json_document import plain


class StatsBy(StrEnum):
    QUEUE = "queue"
    TASK = "task"
    STAGE = "stage"
    LABEL = "label"
    HOUR = "hour"
    ALL = "all"


class CallsBy(StrEnum):
    MODEL = "model"
    TOOL = "tool"
    TASK = "task"
    STAGE = "stage"


@dataclass(frozen=True, slots=True)
class EndStats:
    """What ended in one queue, task, stage or hour. The fields are the columns of end_stats, in their order.

    `jobs` counts jobs that ended and stages that jobs left for the next one (`advanced`); `failed` and `lost`
    count attempts. Percentiles are upper edges of buckets a quarter wide. `retried` counts ends that came
    after a failure or loss, `retries` these failures and losses. `is_partial`: only the newest 200,000 counts
    were looked at, so the real figures are higher; ask for one queue or a shorter period.
    """

    name: str
    jobs: int
    completed: int
    rejected: int
    cancelled: int
    dead: int
    retried: int
    retried_completed: int
    per_minute: float
    wait_p50: timedelta | None
    wait_p95: timedelta | None
    wait_p99: timedelta | None
    run_p50: timedelta | None
    run_p95: timedelta | None
    run_p99: timedelta | None
    advanced: int
    failed: int
    lost: int
    retries: int
    units: float
    cost: float
    wait_mean: timedelta | None
    run_mean: timedelta | None
    is_partial: bool

    @property
    def success_rate(self) -> float | None:
        return (self.completed + self.advanced) / self.jobs if self.jobs else None

    @property
    def retry_rate(self) -> float | None:
        return self.retried / self.jobs if self.jobs else None

    @property
    def retries_per_job(self) -> float | None:
        return self.retries / self.jobs if self.jobs else None

    @property
    def retry_success_rate(self) -> float | None:
        return self.retried_completed / self.retried if self.retried else None

    def document(self) -> dict[str, Any]:
        """The fields and the rates."""
        rates = ("success_rate", "retry_rate", "retry_success_rate", "retries_per_job")
        return {**plain(self), **{name: getattr(self, name) for name in rates}}


@dataclass(frozen=True, slots=True)
class CallStats:
    """Calls of one model or tool, or of one task or stage. The fields are the columns of call_stats.

    `is_partial` as in EndStats.
    """

    name: str
    calls: int
    errors: int
    units: float
    cost: float
    seconds: float
    mean: timedelta | None
    p50: timedelta | None
    p95: timedelta | None
    p99: timedelta | None
    is_partial: bool


@dataclass(frozen=True, slots=True)
class TimeParts:
    """Where the time of one task went, in seconds. The fields are the columns of time_parts."""

    name: str
    attempts: int
    waiting: float
    database: float
    model: float
    tool: float
    handler: float


@dataclass(frozen=True, slots=True)
class MinuteStats:
    """What ended and failed in one minute and queue. The fields are the columns of stats_by_minute.

    `is_partial`: older minutes were left out, because there are more than 200,000 rows.
    """

    minute: datetime
    is_hour: bool
    queue: str
    enqueued: int
    ended: int
    completed: int
    rejected: int
    cancelled: int
    dead: int
    failed: int
    units: float
    cost: float
    is_partial: bool


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Attempts with the same error. The fields are the columns of error_groups, in their order.

    `trend` counts the attempts of each slice of the period, `before` those of the period before; `first_at`
    is the first one of both. `sample` is the job of the newest attempt. Of the `looked` newest jobs, `dead`
    and `completed` have ended so since.
    """

    fingerprint: str | None
    error_class: str | None
    error_type: str | None
    message: str | None
    place: str | None
    outcomes: list[str]
    queues: list[str]
    tasks: list[str]
    stages: list[str]
    versions: list[str]
    attempts: int
    jobs: int
    before: int
    trend: list[int]
    first_at: datetime
    last_at: datetime
    sample: JobId
    looked: int
    dead: int
    completed: int
    is_partial: bool


@dataclass(frozen=True, slots=True)
class ErrorTotal:
    """All attempts that went wrong in a period, in so many groups.

    `is_partial`: only the newest 100,000 attempts of this period and the one before were looked at.
    """

    attempts: int
    jobs: int
    before: int
    trend: list[int]
    groups: int
    is_partial: bool


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """Some groups of similar errors, the most frequent first."""

    total: ErrorTotal
    items: list[ErrorGroup]
