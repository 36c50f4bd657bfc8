"""One read of a value for all its watchers, however many there are."""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from operator import ne
from time import monotonic
from typing import Generic, TypeVar

from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Failed:
    """Yielded instead of a value that could not be read: the others are read all the same."""

    error: Exception


Read = Callable[[Sequence[K]], AsyncIterator[tuple[K, V | Failed]]]


class SharedReader(Generic[K, V]):
    """Reads each watched value about once per `pace`; one task does it, while any value is watched.

    Rounds follow the clock, so that all watched values are read together. A value is kept for one `pace`
    after its last watcher has left: a client that asks again and again does not cause a read each time.
    """

    def __init__(
        self, read: Read[K, V], pace: timedelta, *, is_news: Callable[[V, V], bool] = ne, rest: float = 3.0
    ) -> None:
        """`read` yields what it reads. `is_news`: whether watchers are woken by the second value. `rest`: a
        round is followed by a pause of so many times its length, so that slow reads do not fill a connection.
        """
        self._read, self._pace, self._is_news, self._rest = read, pace.total_seconds(), is_news, rest
        self._values: dict[K, _SharedValue[V]] = {}
        self._arrived = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._is_failing = False

    def is_watched(self, key: K) -> bool:
        return key in self._values and bool(self._values[key].bells)

    @property
    def watched(self) -> int:
        """How many values are watched."""
        return sum(bool(shared.bells) for shared in self._values.values())

    def fresh(self, key: K) -> V | None:
        """What was read of a value that is watched, or was a moment ago; None if the last read failed."""
        shared = self._values.get(key)
        return None if shared is None or shared.error is not None else shared.latest

    @contextmanager
    def watch(
        self, key: K, bell: asyncio.Event | None = None, known: V | None = None
    ) -> "Iterator[Watch[V]]":
        """`bell` is set when there is news; one bell may serve several watches. `known`: the value, if the
        caller has just read it: then the next round is soon enough.
        """
        shared = self._values.get(key)
        if shared is None:
            shared = self._values[key] = _SharedValue()
            if known is not None:
                shared.take(known, self._is_news)
                shared.due = self._round_after(monotonic())
        bell = bell or asyncio.Event()
        shared.bells.add(bell)
        self._arrived.set()
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._run(), name="holdfast-shared-reader")
        try:
            yield Watch(shared, bell)
        finally:
            shared.bells.discard(bell)

    async def _run(self) -> None:
        while self._values:
            self._arrived.clear()
            now = monotonic()
            due = [key for key, shared in self._values.items() if shared.due <= now]
            for key in due:
                if not self._values[key].bells:
                    del self._values[key]
            if due := [key for key in due if key in self._values]:
                await self._round(due)
            elif self._values:
                next_due = min(shared.due for shared in self._values.values())
                await until_rung(self._arrived, next_due - now)

    async def _round(self, keys: Sequence[K]) -> None:
        began, left = monotonic(), dict.fromkeys(keys)
        try:
            async for key, value in self._read(keys):
                left.pop(key, None)
                if isinstance(value, Failed):
                    self._fail([key], value.error, is_known=self._values[key].error is not None)
                else:
                    self._values[key].take(value, self._is_news)
            self._is_failing = False
        except Exception as exc:
            self._fail(list(left), exc, is_known=self._is_failing)
            self._is_failing = True
        now = monotonic()
        after = now + max(0.0, self._rest * (now - began) - self._pace)
        for key in keys:
            self._values[key].due = self._round_after(after)

    def _round_after(self, moment: float) -> float:
        return (moment + self._pace) // self._pace * self._pace

    def _fail(self, keys: Sequence[K], exc: Exception, is_known: bool) -> None:
        """Watchers that have a value keep it: an outage of the database ends no stream. `is_known`: the log
        has a line about it already.
        """
        if not is_known:
            emit(Event.SHARED_READ_FAILED, because=exc, exception=exc)
        for key in keys:
            self._values[key].fail(exc)


async def until_rung(bell: asyncio.Event, seconds: float) -> None:
    """Waits for the bell, at most so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await bell.wait()
    bell.clear()


class _SharedValue(Generic[V]):
    """`number` counts its values that were news; `due`: when it is read next, on the monotonic clock."""

    def __init__(self) -> None:
        self.bells: set[asyncio.Event] = set()
        self.values: list[V] = []  # the newest one that was news, or none
        self.latest: V | None = None  # news or not
        self.number = 0
        self.due = 0.0
        self.error: Exception | None = None

    def take(self, value: V, is_news: Callable[[V, V], bool]) -> None:
        self.error, self.latest = None, value
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
    """What one watcher has seen of a shared value: it gets the newest one, never those in between."""

    def __init__(self, shared: _SharedValue[V], bell: asyncio.Event) -> None:
        self._shared, self._bell = shared, bell
        self._seen = 0

    async def first(self) -> V:
        """The value as soon as there is one; raises the error of the read if there is none."""
        while not self._shared.values:
            if self._shared.error is not None:
                raise self._shared.error
            self._bell.clear()
            await self._bell.wait()
        return self._shared.values[0]

    @property
    def value(self) -> V | None:
        """The newest one that was news; None before the first."""
        return self._shared.values[0] if self._shared.values else None

    @property
    def latest(self) -> V | None:
        """The one that was read last, also if it was no news."""
        return self._shared.latest

    @property
    def number(self) -> int:
        return self._shared.number

    def news(self) -> V | None:
        """The newest value, unless the watcher has had it."""
        if self._seen == self._shared.number:
            return None
        self._seen = self._shared.number
        return self._shared.values[0]
