"""Timeouts of running attempts: one heap, one timer."""

import asyncio
from datetime import timedelta
from heapq import heapify, heappop, heappush
from itertools import count
from time import monotonic

from holdfast.worker.attempt.running_attempt import Attempt, Stop
from holdfast.worker.claim.slots import Slots


class Deadlines:
    """Ended attempts stay in the heap until it has grown to twice the number of running ones."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._heap: list[tuple[float, int, Attempt]] = []
        self._serial = count()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0

    def add(self, attempt: Attempt, after: timedelta) -> None:
        at = monotonic() + after.total_seconds()
        heappush(self._heap, (at, next(self._serial), attempt))
        if len(self._heap) > 2 * self._slots.total + 100:
            self._heap = [entry for entry in self._heap if entry[2] in self._slots.running]
            heapify(self._heap)
        self._set_timer()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _set_timer(self) -> None:
        if not self._heap:
            return
        at = self._heap[0][0]
        if self._timer is not None:
            if self._timer_at <= at:
                return
            self._timer.cancel()
        self._timer_at = at
        self._timer = asyncio.get_running_loop().call_later(max(0.0, at - monotonic()), self._stop_overdue)

    def _stop_overdue(self) -> None:
        self._timer = None
        now = monotonic()
        while self._heap and self._heap[0][0] <= now:
            attempt = heappop(self._heap)[2]
            if attempt in self._slots.running:
                attempt.tell_to_stop(Stop.TIMED_OUT)
        self._set_timer()
