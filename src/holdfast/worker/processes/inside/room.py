"""Where a child's handler runs: on the child's own loop if its app has resources, which live there."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from holdfast.model.surroundings import Surroundings
from holdfast.worker.main_loop import MainLoop
from holdfast.worker.processes.inside.line import Line, Order
from holdfast.worker.resources import NONE, Resources

# The worker kills a child that takes longer than it gave it.
LONG_ENOUGH = timedelta(days=1)


class Room:
    """Without resources each attempt has a loop of its own, and nothing is kept between them."""

    def __init__(self, around: Surroundings) -> None:
        """Opens the resources; raises what that raised."""
        self._opens = around.opens
        self._resources: Resources | None = None
        self._loop: MainLoop | None = None
        if self._opens is not None:
            self._loop = MainLoop().__enter__()
            self._loop.until_done(self._open())

    @property
    def resources(self) -> Any:
        return NONE if self._resources is None else self._resources.value

    @property
    def is_spent(self) -> bool:
        return self._resources is not None and self._resources.is_lost

    @property
    def needs_closing(self) -> bool:
        return self._resources is not None

    @contextmanager
    def loop(self) -> Iterator[MainLoop]:
        """That of one attempt."""
        if self._loop is not None:
            yield self._loop
        else:
            with MainLoop() as one:
                yield one

    def next_order(self, line: Line) -> Order:
        """With the loop running: connections that break while the child is idle are noticed."""
        if self._loop is None:
            return line.next_order()
        return self._loop.until_done(asyncio.to_thread(line.next_order))

    def close(self) -> None:
        if self._loop is not None and self._resources is not None:
            self._loop.until_done(self._resources.close(LONG_ENOUGH))
            self._loop.__exit__()

    async def _open(self) -> None:
        assert self._opens is not None
        self._resources = Resources(self._opens)
        await self._resources.open()
