"""The things that the model is made of: queues, jobs, keys, lines, runs, workers."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

ENDS = ("completed", "rejected", "cancelled", "dead")
ZERO = timedelta(0)
Ends = Literal["dead", "all"]


def seconds(n: float | None) -> timedelta:
    return timedelta(seconds=n or 0)


@dataclass(frozen=True, slots=True)
class Queue:
    """Policy of a queue: N delays mean N + 1 tries. No jitter, so the model knows when a retry is due."""

    delays: tuple[int, ...]
    max_losses: int = 3
    rescue_delay: timedelta = ZERO
    max_wait: timedelta = timedelta(hours=24)
    cancel_grace: timedelta = timedelta(seconds=30)
    timeout: timedelta | None = None
    ageing: int | None = None
    detail: str = "basic"

    def delay(self, failures: int) -> timedelta:
        return seconds(self.delays[min(failures, len(self.delays)) - 1]) if self.delays else ZERO


QUEUES = {
    "plain": Queue(delays=(5, 60)),
    "aged": Queue(delays=(0,), ageing=10, max_losses=1),
    "full": Queue(
        delays=(10, 20, 40),
        max_losses=2,
        rescue_delay=timedelta(seconds=15),
        max_wait=timedelta(minutes=15),
        cancel_grace=timedelta(seconds=10),
        timeout=timedelta(seconds=60),
        detail="full",
    ),
}
KEPT = {"1 hour": timedelta(hours=1), "30 days": timedelta(days=30)}


@dataclass(frozen=True, slots=True)
class Options:
    """What an enqueue asks for. `own`: the fields that rules leave; the others are defaults."""

    queue: str = "plain"
    payload: int = 0
    priority: int = 50
    group: str = ""
    delay: timedelta = ZERO
    unique_key: str | None = None
    unique_for: str = "live"
    unique_scope: str | None = None
    order_key: str | None = None
    run: UUID | None = None
    deadline: timedelta | None = None
    max_failures: int | None = None
    own: frozenset[str] = frozenset()

    def deadline_at(self, now: datetime) -> datetime | None:
        return None if self.deadline is None else now + self.deadline


@dataclass(slots=True)
class Job:
    id: UUID
    task: str
    options: Options
    queue: str
    group: str
    timeout: timedelta | None = None
    state: str = ""
    deadline: datetime | None = None
    due: datetime | None = None
    rank: datetime | None = None
    attempt: int = 0
    failures: int = 0
    losses: int = 0
    deferrals: int = 0
    releases: int = 0
    is_suspect: bool = False
    generation: int = 1
    visit: int = 1
    seq: int = 0
    worker: UUID | None = None
    token: UUID | None = None
    stop_at: datetime | None = None
    cancel_asked_at: datetime | None = None
    deferred_since: datetime | None = None
    ended_at: datetime | None = None
    reason: str | None = None
    tokens: list[UUID] = field(default_factory=list)

    @property
    def is_live(self) -> bool:
        return self.state not in ENDS

    @property
    def order_key(self) -> str | None:
        return self.options.order_key

    @property
    def run(self) -> UUID | None:
        return self.options.run

    @property
    def scope(self) -> str:
        """Fixed at the enqueue: a next stage with another task does not free the key."""
        return self.options.unique_scope or self.task

    @property
    def work(self) -> tuple[str, int]:
        return self.task, self.options.payload

    def claim_order(self) -> tuple[int, datetime, UUID]:
        assert self.rank is not None
        return (0 if QUEUES[self.queue].ageing else -self.options.priority, self.rank, self.id)

    def due_by(self, now: datetime) -> bool:
        return self.due is not None and self.due <= now

    def max_failures(self) -> int:
        return self.options.max_failures or len(QUEUES[self.queue].delays) + 1

    def stop(self) -> None:
        self.worker = self.token = self.stop_at = None

    def start_again(self, now: datetime) -> None:
        """The next generation: fresh counters, the attempt number goes on."""
        self.generation += 1
        self.visit += 1
        self.failures = self.losses = self.deferrals = self.releases = 0
        self.is_suspect = False
        self.due = self.cancel_asked_at = self.deferred_since = self.ended_at = self.reason = None
        if self.deadline is not None and self.deadline <= now:
            self.deadline = None


def lead(job: Job) -> timedelta:
    """The head start that a priority is worth in a queue with ageing."""
    ageing = QUEUES[job.queue].ageing
    return ZERO if ageing is None else timedelta(minutes=1) * job.options.priority / ageing


def limit_of(job: Job, now: datetime) -> datetime | None:
    """When an attempt that starts now must have ended."""
    limits = [now + job.timeout] if job.timeout else []
    return min([*limits, *([job.deadline] if job.deadline else [])], default=None)


def deferral_bounds(deferrals: int, retry_after: float | None) -> tuple[timedelta, timedelta]:
    asked = retry_after if retry_after is not None else min(300.0, 5.0 * 2 ** (deferrals - 1))
    return seconds(asked), seconds(asked * 1.3)


@dataclass(slots=True)
class Key:
    job: UUID
    work: tuple[str, int]
    until_end: bool = False
    expires_at: datetime | None = None

    @staticmethod
    def of(job: Job, now: datetime) -> "Key":
        lives = job.options.unique_for
        expires_at = now + KEPT[lives] if lives in KEPT else None
        return Key(job.id, job.work, lives == "live", expires_at)

    def ends_with(self, state: str) -> bool:
        return self.until_end or (self.expires_at is not None and state in ("dead", "cancelled"))

    def is_expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now

    def is_past(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at < now


@dataclass(slots=True)
class Schedule:
    """Every hour, and not while the job of the last slot lives."""

    counts_from: datetime
    next_slot: datetime | None = None
    paused: bool = False
    last_job: UUID | None = None

    def is_due(self, now: datetime) -> bool:
        return not self.paused and (self.next_slot or self.counts_from) <= now

    def resume(self, now: datetime) -> None:
        """Counts anew, if it was paused."""
        if self.paused:
            self.paused, self.counts_from, self.next_slot = False, now.replace(microsecond=0), None


@dataclass(slots=True)
class Line:
    """Jobs of one order key, one behind the other."""

    head: UUID
    last_seq: int = 0


@dataclass(slots=True)
class Run:
    id: UUID
    created_at: datetime
    on_complete: bool
    total: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ENDS, 0))
    sealed: bool = False
    cancelled: bool = False
    generation: int = 1
    ended_at: datetime | None = None

    @property
    def is_done(self) -> bool:
        return self.sealed and self.ended_at is None and self.total == sum(self.counts.values())

    @property
    def state(self) -> str:
        if self.ended_at is not None:
            return "cancelled" if self.cancelled else "ended"
        return "sealed" if self.sealed else "open"

    def has_ended(self, job: Job, ends: Ends) -> bool:
        """Whether a replay of the run means this job."""
        if job.run != self.id or job.ended_at is None:
            return False
        return ends == "all" or job.state == "dead"


@dataclass(slots=True)
class Worker:
    id: UUID
    queues: tuple[str, ...]
    group: str
    lease: timedelta
    lease_until: datetime
    rescued: bool = False
    stopped: bool = False
    lost_jobs: int = 0
    alone_with: UUID | None = None


@dataclass(slots=True)
class Attempt:
    outcome: str
    counted: bool
    worker: UUID | None
    visit: int


@dataclass(slots=True)
class Letter:
    generation: int
    reason: str
    replayed: bool = False
