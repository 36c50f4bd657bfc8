"""Reasons to claim: a notification, a full last claim, or a due poll."""

import asyncio
import random
from collections.abc import Callable
from datetime import timedelta
from time import monotonic

SHORTEST_WAIT = 0.01
FIRST_POLL = 1.0
LAST_POLL = 5.0
# This many notifications cause a claim at once, then one more after each pause: at most 50 claims a second
# that find nothing, from any sender. Notifications in between are merged. A claim that finds a job is not
# limited.
RINGS_AT_ONCE = 10
RING_PAUSE = 0.025


class Wake:
    """A lost notification delays a job by at most one poll."""

    def __init__(self, is_listening: Callable[[], bool]) -> None:
        self._is_listening = is_listening
        self._rung = True  # a new worker claims at once
        self._ring_at = 0.0  # from when a notification may cause a claim
        self._has_more, self._full_at = False, 0.0  # whether a claim came back full, and when
        self._interval = FIRST_POLL
        self._poll_at = 0.0
        self._due_at, self._told_at = 0.0, 0.0  # when the next job is due, and when that was reported
        self._waiters: list[asyncio.Future[None]] = []

    @property
    def has_reason(self) -> bool:
        return self._has_more or monotonic() >= self._next_look

    @property
    def _next_look(self) -> float:
        return min(self._poll_at, self._ring_at) if self._rung else self._poll_at

    def ring(self) -> None:
        """There may be something to claim."""
        if self._rung and monotonic() < self._ring_at:
            return  # a loop already waits for that moment
        self._rung = True
        self.nudge()

    def answered(self) -> None:
        """A claim is being sent: later notifications are new. No other loop polls until it is answered.

        If the last claim was full, the other loop claims at the same time.
        """
        now = monotonic()
        if self._rung:
            self._ring_at = max(self._ring_at, now - (RINGS_AT_ONCE - 1) * RING_PAUSE) + RING_PAUSE
        self._rung = False
        self._poll_at = now + self._interval

    def found_all(self) -> None:
        """The claim was full: there may be more jobs."""
        self._interval = FIRST_POLL
        self._ring_at -= RING_PAUSE
        self._has_more, self._full_at = True, monotonic()

    def found_less(self, found: int, due_in: timedelta | None, began: float) -> None:
        """No more jobs; wait for a notification, the next due job, or the next poll.

        A claim that began before another one was answered may have missed jobs that the answer reported.
        """
        if began >= self._full_at:
            self._has_more = False
        if found:
            self._ring_at -= RING_PAUSE
        if found or not self._is_listening():
            self._interval = FIRST_POLL
        else:
            self._interval = min(LAST_POLL, self._interval + 1.0)
        now = monotonic()
        self._poll_at = now + self._interval * random.uniform(0.9, 1.0)
        if began < self._told_at:
            self._poll_at = min(self._poll_at, self._due_at)
        if due_in is not None:
            self._due_at, self._told_at = now + max(SHORTEST_WAIT, due_in.total_seconds()), now
            self._poll_at = min(self._poll_at, self._due_at)

    def nudge(self) -> None:
        """Wakes one waiting loop.

        The one that began to wait last: its server process has just worked and answers sooner.
        """
        while self._waiters:
            waiter = self._waiters.pop()
            if not waiter.done():
                waiter.set_result(None)
                return

    def nudge_all(self) -> None:
        """Wakes every waiting loop: the connection of one of them may be dead."""
        while self._waiters:
            self.nudge()

    async def wait(self, until_poll: bool) -> None:
        """Returns when woken, or when a poll is due, if requested."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        self._waiters.append(waiter)
        timer = None
        if until_poll:
            timer = loop.call_later(max(SHORTEST_WAIT, self._next_look - monotonic()), _resolve, waiter)
        try:
            await waiter
        finally:
            if timer is not None:
                timer.cancel()
            if waiter in self._waiters:
                self._waiters.remove(waiter)


def _resolve(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)
