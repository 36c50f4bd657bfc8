"""Whether a worker was told to leave, and whether it was told twice."""

import asyncio
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

    def ask(self) -> None:
        """Once: finish what runs. Twice: release it now."""
        if self.asked.is_set():
            self.hurry.set()
        self.begin()

    def begin(self) -> None:
        """Finish what runs, however often that is said."""
        if self.asked_at is None:
            self.asked_at = monotonic()
        self.asked.set()
