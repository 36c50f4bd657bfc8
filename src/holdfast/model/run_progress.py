"""A run: jobs submitted together, with one progress and one end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from holdfast.model.duration import short
from holdfast.model.human_readable import counted
from holdfast.model.id import RunId

LIVE = ("waiting", "scheduled", "ready", "running")
MOST_COUNTED = 10_000  # live jobs of a run, the oldest


class Which(StrEnum):
    """Which jobs of a run to replay."""

    DEAD = "dead"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class StartedRun:
    """`created` is false if the request was repeated, and the run is that of the first one."""

    id: RunId
    created: bool


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The progress of a run, by counts of its jobs. The rest takes between `eta_low` and `eta_high` in nine
    of ten cases, at the current rate; before the first end the three are those of its forecast, and without
    one `no_eta` says why. The fields from `budget` to `reserved_units` are None without a budget; `units` and
    `cost` are those of stages that its jobs left or ended in. `blocker` says why the run waits until its
    budget is raised; then there is no `eta`.
    """

    id: RunId
    name: str
    state: str
    total: int
    waiting: int
    scheduled: int
    ready: int
    running: int
    completed: int
    rejected: int
    cancelled: int
    dead: int
    started_at: datetime
    ended_at: datetime | None
    rate_per_minute: float | None
    eta: timedelta | None
    eta_low: timedelta | None
    eta_high: timedelta | None
    budget: float | None
    spent: float | None
    reserved: float | None
    max_units: float | None
    used_units: float | None
    reserved_units: float | None
    units: float | None
    cost: float | None
    blocker: str | None
    no_eta: str | None = None

    @property
    def ended(self) -> int:
        return self.completed + self.rejected + self.cancelled + self.dead

    @property
    def more_than(self) -> list[str]:
        """The states whose count stopped at the 10,000 oldest live jobs."""
        live = self.waiting + self.scheduled + self.ready + self.running
        return [*LIVE] if live >= MOST_COUNTED and self.total - self.ended > live else []


@dataclass(frozen=True, slots=True)
class RunForecast:
    """How long the `jobs` left should take on `slots`, by the run times of `measured` earlier jobs.

    `eta` follows from their `mean`, `eta_low` and `eta_high` from `p50` and `p95`. Without one,
    `reason` says why.
    """

    run: RunId
    jobs: int
    slots: int
    measured: int
    mean: timedelta | None
    p50: timedelta | None
    p95: timedelta | None
    eta: timedelta | None
    eta_low: timedelta | None
    eta_high: timedelta | None
    reason: str | None

    def __str__(self) -> str:
        """about 2 min (90 s to 4 min) on 4 slots"""
        if self.eta is None or self.eta_low is None or self.eta_high is None:
            return f"no forecast: {self.reason}"
        spread = f"{short(self.eta_low)} to {short(self.eta_high)}"
        return f"about {short(self.eta)} ({spread}) on {counted(self.slots, 'slot')}"


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run and the ends of its jobs."""

    id: RunId
    name: str
    state: str
    total: int
    completed: int
    rejected: int
    cancelled: int
    dead: int
    created_at: datetime
    ended_at: datetime | None
    origin: str
    login: str | None  # of the database; None in a row that no verb wrote
    role: str | None  # that the session had set
    claimed_actor: str | None  # as its caller said
    units: float | None  # of stages that its jobs left or ended in
    cost: float | None  # of these units; None without a price
    labels: dict[str, Any]

    @property
    def ended(self) -> int:
        return self.completed + self.rejected + self.cancelled + self.dead


@dataclass(frozen=True, slots=True)
class RunDetails(RunSummary):
    """`generation` counts its lives: each replay of a run that had ended starts the next. `then` is the task
    of the job that is enqueued when it ends.
    """

    sealed_at: datetime | None
    cancelled_at: datetime | None
    generation: int
    then: str | None


class RunPhase(StrEnum):
    """What a list of runs is limited to: those that go on, sealed or not, or those that have ended."""

    OPEN = "open"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list. `name` is a part of theirs, in any case; `actor` is the login that started them, or
    the name that it claimed.
    """

    state: RunPhase | None = None
    name: str | None = None
    labels: Mapping[str, Any] | None = None
    origin: str | None = None
    actor: str | None = None
