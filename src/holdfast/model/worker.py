"""What a worker learns from the database about itself."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from holdfast.model.id import JobId, RunId, Token, WorkerId
from holdfast.model.job import ClaimedJob


@dataclass(frozen=True, slots=True)
class Renewal:
    """The answer to a renewed lease.

    `known` false: the worker's row is gone, register again. `rescued`: other workers have its jobs, drop all
    that it claimed before. `drain`: an operator asked it to finish and exit. `flags`: those that hold for it.
    """

    lease_until: datetime | None
    known: bool
    rescued: bool
    drain: bool
    flags: dict[str, dict[str, str | None]]


@dataclass(frozen=True, slots=True)
class StopRequest:
    """A running job of this worker with a cancel request."""

    id: JobId
    token: Token
    reason: str | None


@dataclass(frozen=True, slots=True)
class LostEnd:
    """An end that changed nothing, because another worker has the job."""

    id: JobId
    token: Token


@dataclass(frozen=True, slots=True)
class Settled:
    """The answer to settle_and_claim: what was claimed, which ends were lost, when the next job is due.

    `lapsed`: the worker's lease had expired, so nothing was claimed; renew it first.
    """

    claimed: list[ClaimedJob]
    lost: list[LostEnd]
    due_in: timedelta | None
    lapsed: bool


class EndResult(StrEnum):
    """`repeated`: the same call has ended the job before. `lost`: the token is outdated."""

    ENDED = "ended"
    REPEATED = "repeated"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class EndedJob:
    """What became of a job that a worker ended: its state now, and when it is due if it is tried again."""

    result: EndResult
    state: str | None
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class JobToStop:
    """`why`: cancel (an operator asked for it) or lost (another worker has the job, or it has ended)."""

    id: JobId
    why: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class LeftJobs:
    """Jobs that a draining worker waits for before it exits."""

    queue: str
    task: str
    state: str
    jobs: int

    def __str__(self) -> str:
        return f"{self.jobs} {self.state} of {self.task} in {self.queue}"


class LeftAs(StrEnum):
    """Why a worker stops: a stop request, no work left, or the end of its time box."""

    STOPPED = "stopped"
    DONE = "done"
    TIME_BOX = "time_box"


@dataclass(frozen=True, slots=True)
class LeftWorkers:
    """Workers of one group that left in one hour: `stopped` by a signal or their program, `drained` by an
    operator, `done` because no work was left, at the end of their `time_box`, or `lost`.

    Percentiles are upper edges of buckets a quarter wide; the counts of lost workers are those of their last
    heartbeats.
    """

    hour: datetime
    group: str
    workers: int
    stopped: int
    drained: int
    done: int
    time_box: int
    lost: int
    life_p50: timedelta
    life_p95: timedelta
    processed: int
    failed: int
    released: int


@dataclass(frozen=True, slots=True)
class WorkerSummary:
    """A worker as people see it; its state is lost once its lease has ended.

    `run`, `index` and `box_until` are those of a worker with a time box. `slots_from` and `claim_size_from`:
    where these come from (its option, the flag of its group, the flag for all, or the default); None if the
    worker does not say. Its last heartbeat reported `memory` (bytes), `cpu` (cores) and `loop_lag` (the
    longest delay of its event loop).
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
    slots_from: str | None
    claim_size_from: str | None
    memory: int | None
    cpu: float | None
    loop_lag: timedelta | None
