"""One use of a cached value: found, or computed here while others wait."""

from asyncio import sleep
from datetime import timedelta
from time import monotonic
from typing import Any
from uuid import UUID

from holdfast.model.cached_value import Taking
from holdfast.model.duration import Duration, exact, parse_duration
from holdfast.model.end_attempt import Cancelled, Snooze
from holdfast.model.error import HoldfastError, InvalidInput
from holdfast.model.payload import decode, encode
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.context.context_port import ContextPort

WAIT = timedelta(minutes=5)  # how long others wait for a computation before one of them starts its own
MOST_WAITS = 2  # a caller waits for one computation, and for the one that takes over

FIRST_PAUSE = 0.02
LONGEST_PAUSE = 1.0
GROWTH = 1.5


class CachedValue:
    """After `take`, the caller has the value, or must call `save` or `free`."""

    __slots__ = ("_attempt", "_key", "_lasts", "_port", "_scope", "_wait", "_writer", "value")

    def __init__(
        self, attempt: Attempt, port: ContextPort, key: str, lasts: Duration, wait: Duration, scope: str
    ) -> None:
        self._attempt, self._port = attempt, port
        self._key, self._scope = key, scope
        self._lasts, self._wait = parse_duration(lasts), parse_duration(wait)
        self._writer: UUID | None = None
        self.value: Any = None
        for name, given in (("key", key), ("scope", scope)):
            if not isinstance(given, str):
                raise InvalidInput(f"The {name} of a cached value must be a string (got {given!r}).")

    async def take(self) -> bool:
        """True if the value is there; false if the caller must compute it. A wait holds no connection.

        A wait that is too long ends with Snooze: the job is not to blame, and others can use its slot.
        """
        pause = FIRST_PAUSE
        longest = max(MOST_WAITS * self._wait, timedelta(seconds=LONGEST_PAUSE))
        until = monotonic() + longest.total_seconds()
        while True:
            taken = await self._port.take_cached_value(self._attempt.job, self._scope, self._key, self._wait)
            if taken.result is not Taking.WAIT:
                break
            if self._attempt.cancelled.is_set():  # a thread is not cancelled by an exception
                raise Cancelled("cancelled while it waited for a cached value")
            left = until - monotonic()
            if left <= 0:
                late = f"no attempt had computed the cached value {self._key!r} after {exact(longest)}"
                raise Snooze(self._wait, late)
            await sleep(min(pause, left))
            pause = min(pause * GROWTH, LONGEST_PAUSE)
        self._writer = taken.writer
        if taken.result is Taking.FOUND and taken.value is not None:
            self.value = decode(taken.value)
        return taken.result is Taking.FOUND

    async def save(self, value: Any) -> Any:
        """The value as all callers get it; not stored if another attempt has taken the key over."""
        text = encode(value)
        assert self._writer is not None
        await self._port.save_cached_value(
            self._attempt.job, self._scope, self._key, self._writer, text, self._lasts
        )
        return decode(text)

    async def free(self, because: BaseException) -> None:
        """For an error of the computation, which must reach the caller even if the database is away."""
        assert self._writer is not None
        try:
            await self._port.free_cached_value(self._attempt.job, self._scope, self._key, self._writer)
        except HoldfastError as exc:
            because.add_note(f"The key {self._key!r} of the cached value was not freed: {exc.message}")
