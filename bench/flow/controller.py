"""What the simulation asks of a controller. One object is shared by all worker processes, as the row is.

A controller on a real database row under a fake clock fits the same two methods.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bench.flow.job import Job


class CallResult(StrEnum):
    OK = "ok"
    RATE_LIMITED = "rate_limited"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Outcome:
    answer: CallResult
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """A job that may start. `permit` is whatever the controller wants to see again at the end of the call."""

    job: Job
    permit: object


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the failure counts against the job, and how long it waits; None: the queue's own policy."""

    counts: bool
    wait: float | None = None


class Controller(Protocol):
    def admit(self, now: float, jobs: Sequence[Job]) -> Sequence[Start]:
        """Which of these waiting jobs, given in claim order, start now."""

    def settle(self, now: float, start: Start, outcome: Outcome) -> Verdict:
        """A call has ended. The verdict matters only for an outcome after which the job is tried again."""
