"""One attempt in progress."""

import asyncio
from collections.abc import Callable
from enum import StrEnum
from threading import Event
from time import monotonic

from holdfast.model.job import ClaimedJob
from holdfast.model.route import Advance
from holdfast.worker.handler import Handler


class Stop(StrEnum):
    """Why an attempt was told to stop; it decides how the attempt ends."""

    TIMED_OUT = "it ran longer than its timeout"
    ASKED = "somebody asked to cancel it"
    WORKER_LEAVES = "the worker is shutting down"
    BOX_ENDS = "the worker's time box ends"
    LEASE_ENDED = "the worker could not renew its lease"
    BY_OTHERS = "something else than the worker cancelled its task"


class Running:
    """A claimed job, its handler, and what is known about its end.

    Compared by identity: a job taken from this worker can come back while its old attempt still runs.
    """

    __slots__ = (
        "abandon",
        "alone_at",
        "began",
        "cancelled",
        "endpoint_ok",
        "handler",
        "has_begun",
        "is_settled",
        "job",
        "pass_on",
        "pass_yield",
        "reason",
        "said",
        "should_yield",
        "stop",
        "task",
        "units",
    )

    def __init__(self, job: ClaimedJob, handler: Handler) -> None:
        self.job = job
        self.handler = handler
        self.task: asyncio.Task[None] | None = None
        self.has_begun = False
        self.alone_at = 0  # how many had begun by then, if no other ran
        self.abandon: Callable[[], object] | None = None  # set while a thread or process runs the handler
        self.pass_on: Callable[[], None] | None = None  # set while a process does: tells it of a request
        self.pass_yield: Callable[[], None] | None = None  # the same for a request to yield
        self.began = monotonic()
        self.stop: Stop | None = None
        self.reason: str | None = None
        self.is_settled = False  # true: its end is known to the database, or is not ours to report
        self.units: float | None = None
        self.endpoint_ok: bool | None = None  # what the handler said of its endpoint so far
        self.said: Advance | None = None  # the last marker that ctx.advance made; the handler must return one
        self.cancelled: Event | None = None  # made with the context, if the handler takes one
        self.should_yield: Event | None = None  # the same

    def ask_to_yield(self) -> None:
        """Its worker will leave: the handler may save its work and raise Yield, or be cancelled later."""
        if self.should_yield is not None:
            self.should_yield.set()
        if self.pass_yield is not None:
            self.pass_yield()

    def tell_to_stop(self, why: Stop, reason: str | None = None) -> None:
        """The first reason stays, except that leaving or losing the lease outranks a request.

        Before its first step an attempt only sees the mark: cancelling then would skip its own clean-up.
        """
        if self.stop is not None and self.stop is not Stop.ASKED:
            return
        again = self.stop is why
        self.stop, self.reason = why, reason
        if self.cancelled is not None:
            self.cancelled.set()
        if again:
            return
        if self.handler.is_async:
            if self.has_begun and self.task is not None:
                self.task.cancel()
        elif why is not Stop.ASKED and self.abandon is not None:
            # A thread cannot be cancelled: its end is reported without it. A request only sets the flag.
            # A process is killed.
            self.abandon()
        elif self.pass_on is not None:
            self.pass_on()
