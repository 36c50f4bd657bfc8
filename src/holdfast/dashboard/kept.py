"""A value that many requests share, read again when it has become old."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Generic, TypeVar

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

    def __init__(self, lasts: timedelta = timedelta(0)) -> None:
        self._lasts = lasts.total_seconds()
        self._values: dict[K, _Value[V]] = {}
        self._reads: dict[K, asyncio.Task[V]] = {}

    async def get(self, key: K, read: Callable[[], Awaitable[V]]) -> V:
        found = self._values.get(key)
        if found is not None and found.age <= 1:
            return found.value
        if key not in self._reads:
            self._reads[key] = asyncio.create_task(self._read(key, read), name="holdfast-kept-value")
            self._reads[key].add_done_callback(lambda done: self._forget(key, done))
        if found is not None and found.age <= STALE:
            return found.value
        return await asyncio.shield(self._reads[key])  # others may wait for it too

    async def _read(self, key: K, read: Callable[[], Awaitable[V]]) -> V:
        began = monotonic()
        value = await read()
        now = monotonic()
        if len(self._values) >= MOST:
            self._values.clear()
        self._values[key] = _Value(value, now, max(self._lasts, AS_LONG * (now - began)))
        return value

    def _forget(self, key: K, done: asyncio.Task[V]) -> None:
        """An error is for those who wait; if none does, the next one reads again."""
        del self._reads[key]
        if not done.cancelled():
            done.exception()
