"""The server's time: real, real but faster, or moved by hand so that a test is exact."""

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption

# How often the loop is given a turn after a timer, so that whatever it woke can take its next steps.
TURNS = 25


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    """Everything that is simulated takes its time from here; timeouts against hostile clients do not."""

    def now(self) -> float:
        """Simulated seconds, from an arbitrary beginning."""
        ...

    def wall(self) -> datetime:
        """The date that clients see."""
        ...

    def real(self, seconds: float) -> float:
        """How long a client waits for so many simulated seconds."""
        ...

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer: ...


class RealClock:
    """`scale` simulated seconds pass in each real one."""

    def __init__(self, scale: float = 1.0) -> None:
        if not 0 < scale < float("inf"):
            raise InvalidOption(
                f"time_scale must be above 0 (got {scale!r}).", "10 means ten times faster than real time"
            )
        self._scale = scale

    def now(self) -> float:
        return time.monotonic() * self._scale

    def wall(self) -> datetime:
        return datetime.now(UTC)

    def real(self, seconds: float) -> float:
        return seconds / self._scale

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(delay / self._scale, callback)


class ManualClock:
    """Stands still until `advance`; timers then go off in order, each at its exact time."""

    def __init__(self, start: datetime = datetime(2030, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._now = 0.0
        self._timers: list[tuple[float, int, _ManualTimer]] = []
        self._numbers = itertools.count()

    def now(self) -> float:
        return self._now

    def wall(self) -> datetime:
        return self._start + timedelta(seconds=self._now)

    def real(self, seconds: float) -> float:
        return seconds

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer:
        timer = _ManualTimer(callback)
        heapq.heappush(self._timers, (self._now + delay, next(self._numbers), timer))
        return timer

    async def advance(self, by: Duration) -> None:
        """What is due within `by` happens; clients in the same loop get turns in between."""
        until = self._now + parse_duration(by).total_seconds()
        await _give_turns()
        while self._timers and self._timers[0][0] <= until:
            at, _, timer = heapq.heappop(self._timers)
            self._now = max(self._now, at)
            if timer.callback is not None:
                timer.callback()
                await _give_turns()
        self._now = until


class _ManualTimer:
    __slots__ = ("callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


async def sleep(clock: Clock, seconds: float) -> None:
    if seconds <= 0:
        return
    done = asyncio.get_running_loop().create_future()

    def wake() -> None:
        if not done.done():
            done.set_result(None)

    timer = clock.call_later(seconds, wake)
    try:
        await done
    finally:
        timer.cancel()


async def _give_turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)
