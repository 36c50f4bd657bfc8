"""A job as a worker holds it, and as a reader sees it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from holdfast.model.duration import short
from holdfast.model.id import JobId, RunId, Token, WorkerId
from holdfast.model.payload import JsonText, decode
from holdfast.model.state import State


@dataclass(slots=True)
class ClaimedJob:
    """A job leased to this worker. The fields are the columns of claim_jobs, in their order.

    Not frozen: a frozen dataclass takes three times as long to create, and a worker creates thousands a
    second.
    """

    id: JobId
    token: Token
    task: str
    queue: str
    payload_json: JsonText
    attempt: int
    failures: int
    losses: int
    priority: int
    run: RunId | None
    stage: str | None
    generation: int
    visit: int
    labels_json: JsonText | None
    order_key: str | None
    started_at: datetime
    ready_at: datetime
    stop_after: timedelta | None
    endpoint: str | None  # the endpoint of its permit: its own, or the fallback
    trace_json: JsonText | None = None  # its trace context

    @property
    def payload(self) -> Any:
        return decode(self.payload_json)

    @property
    def labels(self) -> dict[str, Any]:
        return {} if self.labels_json is None else dict(decode(self.labels_json))


class Enqueued(NamedTuple):
    """The answer to an enqueue; `created` is false if the unique key belongs to an existing job. `route`: the
    queue of the job if a rule chose it.

    A tuple, because a bulk reads many: a frozen dataclass takes several times as long to create.
    """

    id: JobId
    created: bool
    route: str | None = None


@dataclass(frozen=True, slots=True)
class ItemError:
    """What went wrong with an item of a job; redacted. `item` is None if the handler named none."""

    item: str | None
    error: str


@dataclass(frozen=True, slots=True)
class JobProgress:
    """What a handler last reported by `ctx.progress`; `total` is None if it did not say.

    `done` counts items, those that failed included. `rate` is items per second since the first report of the
    attempt, `eta` the time left at that rate while it runs; None until they are known. `errors`: the latest
    five.
    """

    done: int
    total: int | None
    failed: int
    note: str | None
    updated_at: datetime
    item: str | None = None
    errors: tuple[ItemError, ...] = ()
    rate: float | None = None
    eta: timedelta | None = None

    def __str__(self) -> str:
        """34% 340/1000, 2 failed, 12/s, 55 s left: page 34"""
        share = f"{100 * self.done // self.total}% " if self.total else ""
        counted = str(self.done) if self.total is None else f"{share}{self.done}/{self.total}"
        failed = f", {self.failed} failed" if self.failed else ""
        rate = "" if self.rate is None else f", {self.rate:.3g}/s"
        left = "" if self.eta is None else f", {short(self.eta)} left"
        words = ", ".join(filter(None, (self.note, self.item)))
        return f"{counted}{failed}{rate}{left}{f': {words}' if words else ''}"


@dataclass(frozen=True, slots=True)
class Job:
    """A job, live or ended, as job_view shows it."""

    id: JobId
    queue: str
    task: str
    state: State
    priority: int
    payload: Any
    output: Any
    reason: str | None
    attempt: int
    failures: int
    losses: int
    deferrals: int
    generation: int
    run: RunId | None
    parent: JobId | None
    stage: str | None
    labels: dict[str, Any]
    worker: WorkerId | None
    endpoint: str | None
    group: str | None
    order_key: str | None
    unique_key: str | None
    units: float | None
    timeout: timedelta | None
    deadline: datetime | None
    max_failures: int | None
    created_at: datetime
    due_at: datetime | None
    ready_at: datetime | None
    started_at: datetime | None
    cancel_asked_at: datetime | None
    ended_at: datetime | None
    progress: JobProgress | None = None
    unique_scope: str | None = None
    origin: str = "automatic"
    login: str | None = None  # of the database; None in a row that no verb wrote
    role: str | None = None  # that the session had set
    claimed_actor: str | None = None  # as its caller said
    changed_at: datetime | None = None  # its state
    cost: float | None = None  # its units at the prices of their endpoints; None without a price

    @property
    def is_ended(self) -> bool:
        return self.state.is_end


@dataclass(frozen=True, slots=True)
class JobDetails:
    """What a page about one job shows besides it. The fields are the columns of job_details.

    `retry` and `max_failures` are those that apply to the job. `rules`: those that matched when it was
    enqueued, with the priority and queue that they gave it. `trace`: its W3C trace context.
    """

    pipeline: str | None
    pipeline_version: int | None
    visit: int
    rules: dict[str, Any] | None
    trace: dict[str, Any] | None
    retry: Any
    max_failures: int
    replaces: JobId | None
    child_runs: list[RunId]
    attempts: int
    outputs: int
    checkpoints: int
    log_lines: int

    @property
    def trace_id(self) -> str | None:
        """Of its W3C traceparent."""
        parts = str((self.trace or {}).get("traceparent", "")).split("-")
        return parts[1] if len(parts) == 4 else None


@dataclass(frozen=True, slots=True)
class JobOutline:
    """A job, live or ended, without its payload and output, which may be large."""

    id: JobId
    queue: str
    task: str
    state: State
    priority: int
    reason: str | None
    attempt: int
    failures: int
    losses: int
    deferrals: int
    generation: int
    run: RunId | None
    parent: JobId | None
    stage: str | None
    labels: dict[str, Any]
    worker: WorkerId | None
    endpoint: str | None
    units: float | None
    cost: float | None
    created_at: datetime
    due_at: datetime | None
    ready_at: datetime | None
    started_at: datetime | None
    cancel_asked_at: datetime | None
    ended_at: datetime | None
    progress: JobProgress | None


@dataclass(frozen=True, slots=True)
class JobStatus:
    """What a producer may know about a job that it enqueued: no payload, no output."""

    id: JobId
    state: State
    attempt: int
    failures: int
    created_at: datetime
    due_at: datetime | None
    ready_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    changed_at: datetime
    error_class: str | None  # of the last attempt that went wrong
    error_type: str | None
