"""What a worker learns from the database about itself."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from holdfast.model.id import JobId, RunId, Token, WorkerId
from holdfast.model.job import ClaimedJob


@dataclass(frozen=True, slots=True)
class Renewal:
    """The answer to a renewed lease.

    `known` false: the worker's row is gone, register again. `rescued`: its jobs were taken, drop all that it
    claimed before. `drain`: somebody asked it to finish and leave.
    """

    lease_until: datetime | None
    known: bool
    rescued: bool
    drain: bool


@dataclass(frozen=True, slots=True)
class StopRequest:
    """A running job of this worker that somebody asked to cancel."""

    id: JobId
    token: Token
    reason: str | None


@dataclass(frozen=True, slots=True)
class LostEnd:
    """An end that changed nothing, because the job had been taken from this worker."""

    id: JobId
    token: Token


@dataclass(frozen=True, slots=True)
class Settled:
    """The answer to settle_and_claim: what was claimed, which ends were lost, when the next job is due.

    `lapsed`: the worker's lease had run out, so nothing was claimed; it must be renewed first.
    """

    claimed: list[ClaimedJob]
    lost: list[LostEnd]
    due_in: timedelta | None
    lapsed: bool


@dataclass(frozen=True, slots=True)
class Left:
    """Jobs that a worker waits for before it leaves because its work is done."""

    queue: str
    task: str
    state: str
    jobs: int

    def __str__(self) -> str:
        return f"{self.jobs} {self.state} of {self.task} in {self.queue}"


@dataclass(frozen=True, slots=True)
class WorkerSummary:
    """A worker as people see it; its state is lost once its lease has ended.

    `run`, `index`, `claim_size` and `box_until` are those of a worker with a time box.
    """

    id: WorkerId
    group: str
    queues: list[str]
    state: str
    slots: int
    running: int
    processed: int
    failed: int
    released: int
    host: str | None
    pid: int | None
    version: str | None
    started_at: datetime
    renewed_at: datetime
    lease_until: datetime
    stopped_at: datetime | None
    life_span: timedelta
    run: RunId | None
    index: int | None
    claim_size: int | None
    box_until: datetime | None
    drain_asked: bool
    metadata: dict[str, Any]
