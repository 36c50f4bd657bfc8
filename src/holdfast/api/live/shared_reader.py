"""One read for all who watch the same thing, however many they are."""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from operator import ne
from time import monotonic
from typing import Generic, TypeVar

from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Read = Callable[[Sequence[K]], AsyncIterator[tuple[K, V]]]


class SharedReader(Generic[K, V]):
    """Reads each watched thing about once per `pace`; one task does it, while something is watched.

    Rounds follow the clock, so that all that is watched is read together. A thing is kept for one `pace`
    after its last watcher has left: a client that asks again and again does not cause a read each time.
    """

    def __init__(
        self, read: Read[K, V], pace: timedelta, *, is_news: Callable[[V, V], bool] = ne, rest: float = 3.0
    ) -> None:
        """`read` yields what it reads. `is_news`: whether watchers are woken by the second value. `rest`: a
        round is followed by a pause of so many times its length, so that slow reads do not fill a connection.
        """
        self._read, self._pace, self._is_news, self._rest = read, pace.total_seconds(), is_news, rest
        self._things: dict[K, _Thing[V]] = {}
        self._arrived = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._is_failing = False

    def is_watched(self, key: K) -> bool:
        return key in self._things and bool(self._things[key].bells)

    @property
    def watched(self) -> int:
        """How many things are watched."""
        return sum(bool(thing.bells) for thing in self._things.values())

    @contextmanager
    def watch(self, key: K, bell: asyncio.Event | None = None) -> "Iterator[Watch[V]]":
        """`bell` is set when there is news; one bell may serve several watches."""
        thing = self._things.setdefault(key, _Thing())
        bell = bell or asyncio.Event()
        thing.bells.add(bell)
        self._arrived.set()
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._run(), name="holdfast-shared-reader")
        try:
            yield Watch(thing, bell)
        finally:
            thing.bells.discard(bell)

    async def _run(self) -> None:
        while self._things:
            self._arrived.clear()
            now = monotonic()
            due = [key for key, thing in self._things.items() if thing.due <= now]
            for key in due:
                if not self._things[key].bells:
                    del self._things[key]
            if due := [key for key in due if key in self._things]:
                await self._round(due)
            elif self._things:
                next_due = min(thing.due for thing in self._things.values())
                await until_rung(self._arrived, next_due - now)

    async def _round(self, keys: Sequence[K]) -> None:
        began, left = monotonic(), dict.fromkeys(keys)
        try:
            async for key, value in self._read(keys):
                left.pop(key, None)
                self._things[key].take(value, self._is_news)
            self._is_failing = False
        except Exception as exc:
            self._fail(list(left), exc)
        now = monotonic()
        after = now + max(self._pace, self._rest * (now - began))
        for key in keys:
            self._things[key].due = after // self._pace * self._pace

    def _fail(self, keys: Sequence[K], exc: Exception) -> None:
        """Who has a value keeps it: a database that is away for a moment ends no stream."""
        if not self._is_failing:
            emit(Event.SHARED_READ_FAILED, because=exc, exception=exc)
        self._is_failing = True
        for key in keys:
            self._things[key].fail(exc)


async def until_rung(bell: asyncio.Event, seconds: float) -> None:
    """Waits for the bell, at most so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await bell.wait()
    bell.clear()


class _Thing(Generic[V]):
    """`number` counts its values that were news; `due`: when it is read next, on the monotonic clock."""

    def __init__(self) -> None:
        self.bells: set[asyncio.Event] = set()
        self.values: list[V] = []  # the newest one, or none
        self.number = 0
        self.due = 0.0
        self.error: Exception | None = None

    def take(self, value: V, is_news: Callable[[V, V], bool]) -> None:
        self.error = None
        if not self.values or is_news(self.values[0], value):
            self.values[:] = [value]
            self.number += 1
            self.ring()

    def fail(self, exc: Exception) -> None:
        self.error = exc
        if not self.values:
            self.ring()

    def ring(self) -> None:
        for bell in self.bells:
            bell.set()


class Watch(Generic[V]):
    """What one watcher has seen of a thing: it gets the newest value, never those in between."""

    def __init__(self, thing: _Thing[V], bell: asyncio.Event) -> None:
        self._thing, self._bell = thing, bell
        self._seen = 0

    async def first(self) -> V:
        """The value as soon as there is one; raises the error of the read if there is none."""
        while not self._thing.values:
            if self._thing.error is not None:
                raise self._thing.error
            self._bell.clear()
            await self._bell.wait()
        return self._thing.values[0]

    @property
    def value(self) -> V | None:
        """The newest one; None before the first."""
        return self._thing.values[0] if self._thing.values else None

    @property
    def number(self) -> int:
        return self._thing.number

    def news(self) -> V | None:
        """The newest value, unless the watcher has had it."""
        if self._seen == self._thing.number:
            return None
        self._seen = self._thing.number
        return self._thing.values[0]
