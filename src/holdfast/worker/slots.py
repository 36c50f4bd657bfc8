"""Room for running jobs. Both loops together never claim more than there is room for."""

import asyncio
from collections.abc import Sequence

from holdfast.worker.running import Running


class Slots:
    """`reserved`: asked for by a call under way. `stuck`: threads that run on after their reported end."""

    __slots__ = ("_empty", "entered", "reserved", "running", "stuck", "total")

    def __init__(self, total: int) -> None:
        self.total = total
        self.running: set[Running] = set()
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

    def enter(self, batch: Sequence[Running]) -> None:
        self.running.update(batch)
        self.entered += len(batch)
        if len(self.running) == 1:
            batch[0].alone_at = self.entered

    def was_alone(self, running: Running) -> bool:
        """Whether no other attempt ran in this worker at any moment since that one began."""
        return running.alone_at == self.entered

    def vacate(self, running: Running) -> None:
        self.running.discard(running)
        if self._empty is not None and not self.running:
            self._empty.set()

    async def until_none_runs(self) -> None:
        while self.running:
            self._empty = asyncio.Event()
            await self._empty.wait()

    def unreserve(self, n: int) -> None:
        self.reserved -= n
