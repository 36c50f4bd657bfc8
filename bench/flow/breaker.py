"""The circuit breaker of the compared controllers: 5 failures in a row, whatever they are: 60 s open."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from bench.flow.controller import CallResult, Outcome, Start, Verdict
from bench.flow.job import Job

OPEN_FOR = 60.0


@dataclass(frozen=True, slots=True)
class Permit:
    started_at: float
    is_probe: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """What a limit may learn from a call."""

    answer: CallResult
    seconds: float
    in_flight: int  # this call included


class WithBreaker(ABC):
    """Every failure counts against its job, as in any queue that does not tell them apart."""

    def __init__(self, limit: float, *, has_breaker: bool = True) -> None:
        self.limit = limit
        self._has_breaker = has_breaker
        self._in_flight = 0
        self._failures = 0
        self._open_until: float | None = None  # None: closed
        self._is_probing = False

    @abstractmethod
    def learn(self, ended: Ended) -> None:
        """Moves the limit."""

    def admit(self, now: float, jobs: Sequence[Job]) -> list[Start]:
        if self._open_until is not None:
            if now < self._open_until or self._is_probing:
                return []
            self._is_probing = True
            room = 1
        else:
            room = max(0, max(1, math.floor(self.limit)) - self._in_flight)
        started = jobs[:room]
        self._in_flight += len(started)
        return [Start(job, Permit(now, self._is_probing)) for job in started]

    def settle(self, now: float, start: Start, outcome: Outcome) -> Verdict:
        permit = start.permit
        if not isinstance(permit, Permit):
            raise TypeError(f"{permit!r} is not a permit of this controller")
        ended = Ended(outcome.answer, now - permit.started_at, self._in_flight)
        self._in_flight -= 1
        if self._has_breaker:
            self._watch(now, permit, is_ok=outcome.answer is CallResult.OK)
        self.learn(ended)
        return Verdict(counts=True)

    def _watch(self, now: float, permit: Permit, *, is_ok: bool) -> None:
        if self._open_until is not None:
            if permit.is_probe:
                self._is_probing = False
                self._open_until = None if is_ok else now + OPEN_FOR
            return
        self._failures = 0 if is_ok else self._failures + 1
        if self._failures >= 5:
            self._failures = 0
            self._open_until = now + OPEN_FOR
