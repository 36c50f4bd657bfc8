"""One attempt in progress."""

import asyncio
from collections.abc import Callable
from enum import StrEnum
from math import isfinite
from threading import Event, Lock
from time import monotonic
from typing import Any

from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import End
from holdfast.model.stage_routing import Advance
from holdfast.telemetry.attempt_log import AttemptLog
from holdfast.worker.attempt.handler import Handler
from holdfast.worker.progress.attempt_progress import AttemptProgress

_CREATING_EVENTS = Lock()


class Stop(StrEnum):
    """Why an attempt must stop; it decides how the attempt ends."""

    TIMED_OUT = "it ran longer than its timeout"
    ASKED = "there was a request to cancel it"
    WORKER_LEAVES = "the worker is shutting down"
    BOX_ENDS = "the worker's time box ends"
    LEASE_EXPIRED = "the worker could not renew its lease"
    BY_OTHERS = "something other than the worker cancelled its task"


class Attempt:
    """A claimed job, its handler, and what is known about its end: each step adds its part.

    Compared by identity: this worker can claim a job again while its old attempt still runs.
    """

    __slots__ = (
        "abandon",
        "alone_at",
        "began",
        "cancelled_event",
        "end",
        "endpoint_ok",
        "error",
        "forward_cancel",
        "forward_yield",
        "handler",
        "has_begun",
        "is_lost",
        "is_settled",
        "job",
        "log",
        "marker",
        "progress",
        "reason",
        "stop",
        "task",
        "units",
        "value",
        "yield_event",
        "yields",
    )

    def __init__(self, job: ClaimedJob, handler: Handler) -> None:
        self.job = job
        self.handler = handler
        self.task: asyncio.Task[None] | None = None
        self.has_begun = False
        self.alone_at = 0  # how many attempts had begun by then, if no other ran
        self.abandon: Callable[[], object] | None = None  # set while a thread or process runs the handler
        self.forward_cancel: Callable[[], None] | None = None  # set while a child process runs the handler
        self.forward_yield: Callable[[], None] | None = None  # the same
        self.began = monotonic()
        self.stop: Stop | None = None
        self.reason: str | None = None  # of the cancel request
        self.yields = False  # true: its worker will exit, and asks it to yield
        self.is_settled = False  # true: the database knows its end, or this worker must not report it
        self.is_lost = False  # true: the database has answered that this worker no longer holds the job
        self.units: float | None = None
        self.endpoint_ok: bool | None = None  # what the handler has said about its endpoint so far
        self.marker: Advance | None = None  # the last one of ctx.advance; the handler must return it
        self.value: Any = None  # what the handler returned
        self.end: End | None = None  # set by the last step: what the database stores
        self.error: BaseException | None = None  # what the handler raised; set only if a hook may want it
        self.log: AttemptLog | None = None  # begun by the first line that the handler logs
        self.progress: AttemptProgress | None = None  # begun by the handler's first report
        self.cancelled_event: Event | None = None
        self.yield_event: Event | None = None

    @property
    def cancelled(self) -> Event:
        """Set when the attempt must stop. Created at first use, from any thread: most attempts never ask.

        It is stored before `stop` is read, and `tell_to_stop` writes `stop` before it reads the event, so one
        of the two always sets it.
        """
        event = self.cancelled_event
        if event is None:
            with _CREATING_EVENTS:
                event = self.cancelled_event = self.cancelled_event or Event()
            if self.stop is not None:
                event.set()
        return event

    @property
    def should_yield(self) -> Event:
        """Set when the worker is about to exit; created like `cancelled`."""
        event = self.yield_event
        if event is None:
            with _CREATING_EVENTS:
                event = self.yield_event = self.yield_event or Event()
            if self.yields:
                event.set()
        return event

    def add_units(self, used: float) -> None:
        if not (isfinite(used) and used >= 0):
            raise ValueError(f"units must be a finite number, 0 or more (got {used!r})")
        self.units = (self.units or 0.0) + used

    def ask_to_yield(self) -> None:
        """Its worker will exit: the handler can save its work and raise Yield, or is cancelled later."""
        self.yields = True
        if self.yield_event is not None:
            self.yield_event.set()
        if self.forward_yield is not None:
            self.forward_yield()

    def tell_to_stop(self, why: Stop, reason: str | None = None) -> None:
        """The first reason stays, except that a shutdown or a lost lease overrides a cancel request.

        Before its first step an attempt is only marked: cancelling it then would skip its own clean-up.
        """
        if self.stop is not None and self.stop is not Stop.ASKED:
            return
        again = self.stop is why
        self.stop, self.reason = why, reason
        if self.cancelled_event is not None:
            self.cancelled_event.set()
        if again:
            return
        if self.handler.is_async:
            if self.has_begun and self.task is not None:
                self.task.cancel()
        elif why is not Stop.ASKED and self.abandon is not None:
            # A thread cannot be cancelled: its end is reported without it. A cancel request only sets the
            # flag. A process is killed.
            self.abandon()
        elif self.forward_cancel is not None:
            self.forward_cancel()
