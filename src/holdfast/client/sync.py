"""Enqueuing from code without an event loop: a separate thread runs one."""

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from datetime import timedelta
from typing import Any, TypeVar

from holdfast.client.connection_pools import Link, Links
from holdfast.client.traced_enqueue import store_with
from holdfast.model.error import InvalidInput

T = TypeVar("T")

GOODBYE = timedelta(seconds=10)


class SyncLoop:
    """Starts at first use, and again in a forked child, where the parent's thread does not exist."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self.store = store_with(links.tracer)
        self._starting = threading.Lock()
        self._background: _Background | None = None

    def run(self, work: Callable[[Link], Coroutine[Any, Any, T]]) -> T:
        _refuse_in_event_loop()
        return self._started().run(work)

    async def name_queues(self, names: Iterable[str], /) -> None:
        """Blocks until it is done, like everything on a synchronous connection."""
        self._started().run(lambda link: link.name_queues(names))

    def close(self) -> None:
        with self._starting:
            background, self._background = self._background, None
        if background is not None and background.pid == os.getpid():
            background.stop()

    def _started(self) -> "_Background":
        with self._starting:
            if self._background is None or self._background.pid != os.getpid():
                self._background = _Background(self._links.another())
                atexit.register(self.close)
            return self._background


class _Background:
    """One thread, one loop, one link."""

    def __init__(self, link: Link) -> None:
        self.pid = os.getpid()
        self._link = link
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="holdfast-sync", daemon=True)
        self._thread.start()

    def run(self, work: Callable[[Link], Coroutine[Any, Any, T]]) -> T:
        return asyncio.run_coroutine_threadsafe(work(self._link), self._loop).result()

    def stop(self) -> None:
        try:
            self._wait(self._link.close())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(GOODBYE.total_seconds())
            self._loop.close()

    def _wait(self, work: Awaitable[None]) -> None:
        async def bounded() -> None:
            async with asyncio.timeout(GOODBYE.total_seconds()):
                await work

        asyncio.run_coroutine_threadsafe(bounded(), self._loop).result()


def _refuse_in_event_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise InvalidInput(
        "A synchronous method was called inside a running event loop, which it would block.",
        "await the method without _sync instead, such as 'await task.enqueue(…)'",
    )
