"""Whether a worker has got a stop request, and whether a second one."""

import asyncio
from datetime import timedelta
from time import monotonic


class Stopping:
    __slots__ = ("asked", "asked_at", "hurry")

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.asked_at: float | None = None
        self.hurry = asyncio.Event()

    @property
    def is_asked(self) -> bool:
        return self.asked.is_set()

    def left_of(self, grace: timedelta) -> timedelta:
        """The rest of the grace period since the stop request; never below zero."""
        gone = 0.0 if self.asked_at is None else monotonic() - self.asked_at
        return max(timedelta(0), grace - timedelta(seconds=gone))

    def ask(self) -> None:
        """Once: finish running jobs. Twice: release them now."""
        if self.asked.is_set():
            self.hurry.set()
        self.begin()

    def begin(self) -> None:
        """Finish running jobs, however often it is called."""
        if self.asked_at is None:
            self.asked_at = monotonic()
        self.asked.set()
