"""The slots of a worker. Both loops together never claim more jobs than there are free slots."""

import asyncio
from collections.abc import Sequence

from holdfast.worker.attempt.running_attempt import Attempt, Stop


class Slots:
    """`reserved`: requested by a running call. `stuck`: threads that still run after their reported end.
    `most`: how many jobs one call may claim.
    """

    __slots__ = ("_empty", "entered", "most", "reserved", "running", "stuck", "total")

    def __init__(self, total: int) -> None:
        self.total = self.most = total
        self.running: set[Attempt] = set()
        self.entered = 0  # attempts so far
        self.reserved = 0
        self.stuck = 0
        self._empty: asyncio.Event | None = None

    @property
    def free(self) -> int:
        return self.total - len(self.running) - self.stuck - self.reserved

    def reserve(self, most: int) -> int:
        n = max(0, min(self.free, most))
        self.reserved += n
        return n

    def enter(self, batch: Sequence[Attempt]) -> None:
        self.running.update(batch)
        self.entered += len(batch)
        if len(self.running) == 1:
            batch[0].alone_at = self.entered

    def was_alone(self, attempt: Attempt) -> bool:
        """Whether no other attempt ran in this worker at any moment since that one began."""
        return attempt.alone_at == self.entered

    def stop_all(self, why: Stop) -> None:
        for attempt in list(self.running):
            attempt.tell_to_stop(why)

    def ask_all_to_yield(self) -> None:
        for attempt in list(self.running):
            attempt.ask_to_yield()

    def vacate(self, attempt: Attempt) -> None:
        self.running.discard(attempt)
        if self._empty is not None and not self.running:
            self._empty.set()

    async def until_none_runs(self) -> None:
        while self.running:
            self._empty = asyncio.Event()
            await self._empty.wait()

    def unreserve(self, n: int) -> None:
        self.reserved -= n
