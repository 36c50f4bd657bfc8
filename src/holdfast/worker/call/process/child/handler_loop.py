"""The event loop of a child's handler: one per process if its app has resources, else one per attempt."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from holdfast.model.app_hooks import AppHooks
from holdfast.worker.call.process.child.parent_connection import Order, ParentConnection
from holdfast.worker.main_loop import MainLoop
from holdfast.worker.resources import NONE, Resources

# The worker kills a child that takes longer than allowed.
LONG_ENOUGH = timedelta(days=1)


class HandlerLoop:
    """Without resources each attempt has its own loop, and nothing is kept between them."""

    def __init__(self, around: AppHooks) -> None:
        """Opens the resources; raises their error."""
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
        """The loop of one attempt."""
        if self._loop is not None:
            yield self._loop
        else:
            with MainLoop() as one:
                yield one

    def next_order(self, parent: ParentConnection) -> Order:
        """Keeps the loop running, so that connections that break while the child is idle are noticed."""
        if self._loop is None:
            return parent.next_order()
        return self._loop.until_done(asyncio.to_thread(parent.next_order))

    def close(self) -> None:
        if self._loop is not None and self._resources is not None:
            self._loop.until_done(self._resources.close(LONG_ENOUGH))
            self._loop.__exit__()

    async def _open(self) -> None:
        assert self._opens is not None
        self._resources = Resources(self._opens)
        await self._resources.open()
