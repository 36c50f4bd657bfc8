"""Whether a worker was told to leave, and whether it was told twice."""

import asyncio


class Stopping:
    __slots__ = ("asked", "hurry")

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.hurry = asyncio.Event()

    @property
    def is_asked(self) -> bool:
        return self.asked.is_set()

    def ask(self) -> None:
        """Once: finish what runs. Twice: release it now."""
        if self.asked.is_set():
            self.hurry.set()
        self.asked.set()
