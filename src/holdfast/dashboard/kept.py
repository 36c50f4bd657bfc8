"""A value that many requests share, read again when it has become old."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Generic, TypeVar

from holdfast.api.request.problem import RequestRefused
from holdfast.dashboard.page import Share

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST = 100
# A value is kept so many times as long as its read took: dear reads take a twentieth of a connection at most.
AS_LONG = 20
# A reader gets a value of at most so many times its lifetime while it is read again, and does not wait.
STALE = 3


@dataclass(slots=True)
class _Value(Generic[V]):
    value: V
    read_at: float
    lasts: float

    @property
    def age(self) -> float:
        """In lifetimes."""
        return (monotonic() - self.read_at) / self.lasts


class Kept(Generic[K, V]):
    """For figures that change by the minute, on pages that are read every two seconds; and for those that
    are dear to read. However many ask at once, one of them reads.
    """

    def __init__(
        self, lasts: timedelta = timedelta(0), is_worth_it: Callable[[V], bool] = lambda _: True
    ) -> None:
        """`is_worth_it`: whether a value is kept; another one is read for each look."""
        self._lasts, self._is_worth_it = lasts.total_seconds(), is_worth_it
        self._values: dict[K, _Value[V]] = {}  # the one that was read first comes first
        self._reads: dict[K, asyncio.Task[V]] = {}

    async def get(self, key: K, read: Callable[[], Awaitable[V]], share: Share) -> V:
        """`share`: the connections of the caller, who pays for a read that it starts: callers choose `key`,
        and one that asks for many would otherwise take all connections.
        """
        found = self._values.get(key)
        if found is not None and found.age <= 1:
            return found.value
        is_own = self._start(key, read, share)
        if found is not None and found.age <= STALE:
            return found.value
        while True:
            try:
                return await asyncio.shield(self._reads[key])  # others may wait for it too
            except RequestRefused:  # the caller that started it has no connection left
                if is_own:
                    raise
            is_own = self._start(key, read, share)

    def _start(self, key: K, read: Callable[[], Awaitable[V]], share: Share) -> bool:
        """False if it is being read already."""
        if key in self._reads:
            return False
        self._reads[key] = asyncio.create_task(self._read(key, read, share), name="holdfast-kept-value")
        self._reads[key].add_done_callback(lambda done: self._forget(key, done))
        return True

    async def _read(self, key: K, read: Callable[[], Awaitable[V]], share: Share) -> V:
        async with share():
            began = monotonic()
            value = await read()
        now = monotonic()
        self._values.pop(key, None)
        if self._is_worth_it(value):
            self._values[key] = _Value(value, now, max(self._lasts, AS_LONG * (now - began)))
        if len(self._values) > MOST:
            del self._values[next(iter(self._values))]
        return value

    def _forget(self, key: K, done: asyncio.Task[V]) -> None:
        """An error is for those who wait; if none does, the next one reads again."""
        del self._reads[key]
        if not done.cancelled():
            done.exception()
