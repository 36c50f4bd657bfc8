"""Connections to the database, shared among access keys: statements of one key that wait for row locks must
not take all of them.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from typing import Any

from holdfast.api.limits.shares import Shares
from holdfast.client.app import Holdfast

WAIT = timedelta(seconds=5)

Task = asyncio.Task[Any]


class KeyConnections:
    """A request has a place as long as it uses connections, which it does not while it waits for a body, for
    jobs or for news.

    A request is known by its task. What it starts in other tasks is shared by many requests, and not counted,
    unless such a task is `acting_for` the key that started it.
    """

    def __init__(self, app: Holdfast) -> None:
        """One connection is left for what has no key: the check of keys, and reads that requests share."""
        places = max(app.share_connections(self._turn) - 1, 1)
        self._shares = Shares(places, WAIT, "too_many_at_once", "requests under way")
        self._keys: dict[Task, str] = {}
        self._inside: set[Task] = set()

    def begin(self, key: str) -> None:
        """The request that runs now is one of the access key of this name."""
        if task := asyncio.current_task():
            self._keys[task] = key

    def end(self) -> None:
        if task := asyncio.current_task():
            self._keys.pop(task, None)

    @contextmanager
    def acting_for(self, key: str) -> Iterator[None]:
        """In a task that a request has started: it uses the connections of that request's key."""
        self.begin(key)
        try:
            yield
        finally:
            self.end()

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Around each use of a connection. A request that has one may use a second without another turn:
        requests that wait for each other's first one would wait for ever.
        """
        task = asyncio.current_task()
        key = None if task is None else self._keys.get(task)
        if task is None or key is None or task in self._inside:
            yield
            return
        async with self._shares.place(key):
            self._inside.add(task)
            try:
                yield
            finally:
                self._inside.discard(task)
