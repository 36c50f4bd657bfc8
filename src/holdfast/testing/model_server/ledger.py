"""The server's own record of every call, to compare with what the caller believes."""

import itertools
import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any, NewType

from holdfast.testing.model_server.clock import Clock

CallId = NewType("CallId", int)

# A server that runs for days forgets its oldest calls; long names from clients cannot fill its memory.
MOST_CALLS = 100_000
LONGEST_TEXT = 200


class Outcome(StrEnum):
    """How a call ended."""

    ANSWERED = "answered"
    REFUSED = "refused"  # it was wrong, or the answer callback refused it
    RATE_LIMITED = "rate_limited"
    OVER_MEMORY = "over_memory"
    OUTAGE = "outage"
    NOISE = "noise"
    ERROR_INSIDE = "error_inside"
    CUT = "cut"
    REPLICA_GONE = "replica_gone"
    CALLBACK_RAISED = "callback_raised"
    CLIENT_LEFT = "client_left"
    STOPPED = "stopped"  # the server ended first


@dataclass(frozen=True, slots=True)
class Call:
    """Times are simulated, since the server's start. `status` is None if no status was ever sent."""

    id: CallId
    key: str | None
    path: str
    model: str
    start: timedelta
    in_flight: int  # at its start, itself included
    end: timedelta | None = None
    outcome: Outcome | None = None
    status: int | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    replica: int | None = None

    def line(self) -> str:
        """As JSON, times in seconds."""
        end = None if self.end is None else round(self.end.total_seconds(), 6)
        return json.dumps({**asdict(self), "start": round(self.start.total_seconds(), 6), "end": end})


class Ledger:
    """Safe to read from any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._begin = clock.now()
        self._calls: dict[CallId, Call] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self.in_flight = 0
        self.max_in_flight = 0

    def __iter__(self) -> Iterator[Call]:
        return iter(self.calls)

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def calls(self) -> tuple[Call, ...]:
        """In order of arrival."""
        with self._lock:
            return tuple(self._calls.values())

    @property
    def outcomes(self) -> Counter[Outcome]:
        """Of the calls that have ended."""
        return Counter(call.outcome for call in self.calls if call.outcome is not None)

    @property
    def statuses(self) -> Counter[int]:
        return Counter(call.status for call in self.calls if call.status is not None)

    @property
    def by_key(self) -> dict[str, tuple[Call, ...]]:
        """The calls of each idempotency key."""
        found: dict[str, list[Call]] = {}
        for call in self.calls:
            if call.key is not None:
                found.setdefault(call.key, []).append(call)
        return {key: tuple(calls) for key, calls in found.items()}

    @property
    def repeated(self) -> dict[str, int]:
        """The idempotency keys that were answered more than once, and how often."""
        answered = Counter(call.key for call in self.calls if call.outcome is Outcome.ANSWERED)
        return {key: count for key, count in answered.items() if key is not None and count > 1}

    def begin(self) -> None:
        """Times count from here."""
        self._begin = self._clock.now()

    def open(self, path: str, key: str | None) -> CallId:
        with self._lock:
            self.in_flight += 1
            self.max_in_flight = max(self.max_in_flight, self.in_flight)
            id_ = CallId(next(self._numbers))
            short = None if key is None else key[:LONGEST_TEXT]
            self._calls[id_] = Call(id_, short, path, "", self._now(), self.in_flight)
            if len(self._calls) > MOST_CALLS:
                del self._calls[next(iter(self._calls))]
            return id_

    def describe(self, id_: CallId, model: str, tokens_in: int, tokens_out: int) -> None:
        self._note(id_, model=model[:LONGEST_TEXT], tokens_in=tokens_in, tokens_out=tokens_out)

    def assign(self, id_: CallId, replica: int | None) -> None:
        self._note(id_, replica=replica)

    def close(self, id_: CallId, outcome: Outcome, status: int | None) -> None:
        self.in_flight -= 1
        self._note(id_, outcome=outcome, status=status, end=self._now())

    def _note(self, id_: CallId, **changes: Any) -> None:
        with self._lock:
            if (call := self._calls.get(id_)) is not None:
                self._calls[id_] = replace(call, **changes)

    def _now(self) -> timedelta:
        return timedelta(seconds=self._clock.now() - self._begin)
