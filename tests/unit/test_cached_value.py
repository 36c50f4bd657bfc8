"""How long a caller waits for a cached value that another attempt computes."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from holdfast.model.cached_value import TakenValue, Taking
from holdfast.model.end_attempt import Snooze
from holdfast.model.payload import encode
from holdfast.worker.context import cached_value
from holdfast.worker.context.cached_value import LONGEST_PAUSE, CachedValue

MINUTE = timedelta(minutes=1)


class Clock:
    """Time passes only in the sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []
        monkeypatch.setattr(cached_value, "monotonic", lambda: self.now)
        monkeypatch.setattr(cached_value, "sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class Port:
    """Another attempt computes the value, until the time comes, if ever."""

    def __init__(self, clock: Clock, ready: float = float("inf")) -> None:
        self._clock, self._ready = clock, ready

    async def take_cached_value(self, *args: object) -> TakenValue:
        if self._clock.now < self._ready:
            return TakenValue(Taking.WAIT, None, None)
        return TakenValue(Taking.FOUND, encode(7), None)


def value_of(port: Any, wait: timedelta) -> CachedValue:
    attempt: Any = SimpleNamespace(job=None, cancelled=SimpleNamespace(is_set=lambda: False))
    return CachedValue(attempt, port, "k", "1h", wait, "scope")


async def test_a_caller_gives_up_after_twice_its_wait_without_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    with pytest.raises(Snooze) as late:
        await value_of(Port(clock), MINUTE).take()
    assert sum(clock.pauses) == pytest.approx(120)
    assert max(clock.pauses) == LONGEST_PAUSE
    assert late.value.delay == MINUTE
    assert late.value.reason == "no attempt had computed the cached value 'k' after 2 min"


async def test_a_value_that_comes_at_the_last_moment_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    taken = value_of(Port(clock, ready=clock.now + 120), MINUTE)
    assert await taken.take()
    assert taken.value == 7


async def test_without_a_wait_a_caller_still_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert await value_of(Port(clock, ready=clock.now + LONGEST_PAUSE), timedelta()).take()
