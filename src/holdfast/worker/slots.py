"""Room for running jobs. Both loops together never claim more than there is room for."""

from holdfast.worker.running import Running


class Slots:
    """`reserved`: asked for by a call under way. `stuck`: threads that run on after their end was reported."""

    __slots__ = ("reserved", "running", "stuck", "total")

    def __init__(self, total: int) -> None:
        self.total = total
        self.running: set[Running] = set()
        self.reserved = 0
        self.stuck = 0

    @property
    def free(self) -> int:
        return self.total - len(self.running) - self.stuck - self.reserved

    def reserve(self, most: int) -> int:
        n = max(0, min(self.free, most))
        self.reserved += n
        return n

    def unreserve(self, n: int) -> None:
        self.reserved -= n
