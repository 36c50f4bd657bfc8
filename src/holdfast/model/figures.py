"""What the database's metrics are made from: one reading of all its figures. Ages and moments are seconds."""

from dataclasses import dataclass
from uuid import UUID

from holdfast.model.endpoint import Circuit


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """The fields are the columns of queue_depths, with ages for moments.

    `sample_age` is None if the jobs were counted now.
    """

    queue: str
    is_paused: bool
    waiting: int
    scheduled: int
    ready: int
    running: int
    oldest_age: float | None
    sample_age: float | None


@dataclass(frozen=True, slots=True)
class StatTotal:
    """Counted since the database was installed. The fields are the columns of stat_totals.

    `what` is end, attempt, enqueue or call. The tens count durations by tenths of the decimal logarithm of
    milliseconds.
    """

    what: str
    queue: str
    task: str
    pipeline: str
    stage: str
    state: str
    name: str
    jobs: int
    retried: int
    retries: int
    tries: int
    units: float
    cost: float
    wait_seconds: float
    run_seconds: float
    wait_tens: dict[str, int]
    run_tens: dict[str, int]


@dataclass(frozen=True, slots=True)
class EndpointFigures:
    """The state of an endpoint, and its calls since it was first named."""

    name: str
    limit: int
    in_flight: int
    circuit: Circuit
    budget_left: float | None
    started: int
    ok: int
    failed: int
    limited: int
    other: int
    units: float
    seconds: float
    cost: float


@dataclass(frozen=True, slots=True)
class OpenLetters:
    queue: str
    letters: int


@dataclass(frozen=True, slots=True)
class RunBudget:
    run: UUID
    name: str
    money_left: float | None
    units_left: float | None


@dataclass(frozen=True, slots=True)
class WorkerCount:
    group: str
    state: str
    workers: int
    slots: int
    running: int


@dataclass(frozen=True, slots=True)
class MaintenanceSuccess:
    task: str
    succeeded_at: float


@dataclass(frozen=True, slots=True)
class ReportedFigure:
    name: str
    labels: dict[str, str]
    value: float
    age: float


@dataclass(frozen=True, slots=True)
class Figures:
    queues: list[QueueDepth]
    totals: list[StatTotal]
    letters: list[OpenLetters]
    endpoints: list[EndpointFigures]
    budgets: list[RunBudget]
    workers: list[WorkerCount]
    maintenance: list[MaintenanceSuccess]
    reported: list[ReportedFigure]
