"""The stages, waits and children of a job in a pipeline, as its handler sees them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from holdfast.model.id import JobId
from holdfast.model.state import State


class SignalResult(StrEnum):
    """`resumed`: the job waited for it. `kept`: for a later wait. `duplicate`: not the first of its name."""

    RESUMED = "resumed"
    KEPT = "kept"
    DUPLICATE = "duplicate"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Visit:
    """One result of the job: `what` is output, rejected, or how an attempt failed."""

    at: datetime
    what: str
    stage: str | None
    visit: int | None
    attempt: int | None
    output: Any
    error_type: str | None
    message: str | None


@dataclass(frozen=True, slots=True)
class Child:
    """A child that has ended, or whose parent did not wait for it."""

    id: JobId
    state: State
    output: Any
    reason: str | None


@dataclass(frozen=True, slots=True)
class Told:
    """The answer to a wait: the signal's data, or that the time is over."""

    came: bool
    data: Any
    timed_out: bool


@dataclass(frozen=True, slots=True)
class StageDetails:
    """A stage of a pipeline as a reader sees it. The fields are the columns of stage_view."""

    pipeline: str
    version: int
    is_newest: bool
    declared_at: datetime
    place: int
    stage: str
    task: str
    queue: str
    endpoint: str | None
    group: str | None
    timeout: timedelta | None
    max_visits: int
    on_reject: str
    retry: Any
    max_concurrent: int | None


@dataclass(frozen=True, slots=True)
class StageMove:
    """How many jobs went from one stage to another. The fields are the columns of stage_moves."""

    from_stage: str
    to_stage: str
    moves: int
    is_partial: bool


@dataclass(frozen=True, slots=True)
class Way:
    """The stages that jobs went through, and how these ended. The fields are the columns of pipeline_ways."""

    stages: list[str]
    state: State
    jobs: int
    took_p50: timedelta
    took_p95: timedelta
    units: float | None  # of a job, on average
    is_partial: bool
