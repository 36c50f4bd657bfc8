"""Statistics: ends and errors of a period."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from holdfast.model.id import JobId


class StatsBy(StrEnum):
    QUEUE = "queue"
    TASK = "task"
    HOUR = "hour"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class EndStats:
    """Jobs that ended, of one queue, task or hour. The fields are the columns of end_stats, in their order.

    Percentiles are upper edges of buckets a quarter wide; `retried` counts jobs with a failure or loss.
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

    @property
    def success_rate(self) -> float:
        return self.completed / self.jobs

    @property
    def retry_rate(self) -> float:
        return self.retried / self.jobs

    @property
    def retry_success_rate(self) -> float | None:
        return self.retried_completed / self.retried if self.retried else None


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Failed attempts with the same error. The fields are the columns of recent_errors."""

    fingerprint: str | None
    error_class: str | None
    error_type: str | None
    message: str | None
    place: str | None
    outcomes: list[str]
    queues: list[str]
    tasks: list[str]
    attempts: int
    jobs: int
    first_at: datetime
    last_at: datetime
    sample: JobId
    is_partial: bool
