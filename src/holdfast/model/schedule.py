"""A schedule as a reader sees it, and as a worker's round finds it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from holdfast.model.id import JobId
from holdfast.model.state import State


@dataclass(frozen=True, slots=True)
class DueSchedule:
    """What a worker has something to do for. `next_slot` is None for one that no worker has checked yet.

    `now` is the database's time; slots come after `counts_from`.
    """

    name: str
    cron: str | None
    every: timedelta | None
    tz: str
    missed: str
    counts_from: datetime
    next_slot: datetime | None
    now: datetime


@dataclass(frozen=True, slots=True)
class Fired:
    """What became of a slot: fired, missed, overlap or failed. `job`: the one that it made.

    `problem`: why its job was refused.
    """

    result: str
    job: JobId | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule as schedule_view shows it.

    `state`: new (no worker has checked it yet), active, paused, failing (its job was refused) or invalid;
    `problem` says why. `last_state`: of the job of the last slot; None if it was pruned. `app` declares it;
    since `undeclared_at` it does so no more.
    """

    name: str
    state: str
    task: str | None
    pipeline: str | None
    cron: str | None
    every: timedelta | None
    tz: str
    payload: Any
    options: dict[str, Any]
    missed: str
    overlap: str
    problem: str | None
    counts_from: datetime
    next_slot: datetime | None
    paused_at: datetime | None
    paused_reason: str | None
    last_slot: datetime | None
    last_job: JobId | None
    last_state: State | None
    skipped_slot: datetime | None
    skipped_because: str | None
    app: str | None
    undeclared_at: datetime | None
