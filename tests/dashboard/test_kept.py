"""Kept values: read once for all who ask, and again in the background before they are too old."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from datetime import timedelta

import pytest

from holdfast.api.request.problem import RequestRefused
from holdfast.dashboard import kept
from holdfast.dashboard.kept import Kept


class Source:
    """Counts its reads, each of which waits until it is let go."""

    def __init__(self) -> None:
        self.reads = 0
        self.may_end = asyncio.Event()
        self.error: Exception | None = None

    async def read(self) -> int:
        self.reads += 1
        number = self.reads
        await self.may_end.wait()
        if self.error:
            raise self.error
        return number


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Its one entry is the time."""
    now = [1000.0]
    monkeypatch.setattr(kept, "monotonic", lambda: now[0])
    return now


async def test_those_who_ask_at_once_share_one_read(clock: list[float]) -> None:
    source, values = Source(), Kept[str, int](timedelta(seconds=10))
    asked = [asyncio.create_task(values.get("a", source.read, nullcontext)) for _ in range(50)]
    await asyncio.sleep(0)
    asked[0].cancel()
    source.may_end.set()
    assert await asyncio.gather(*asked[1:]) == [1] * 49, "also if the first one has left"
    assert await values.get("a", source.read, nullcontext) == 1
    assert await values.get("b", source.read, nullcontext) == 2


async def test_an_old_value_is_given_while_it_is_read_again_and_a_very_old_one_is_not(
    clock: list[float],
) -> None:
    source, values = Source(), Kept[str, int](timedelta(seconds=10))
    source.may_end.set()
    assert await values.get("a", source.read, nullcontext) == 1
    clock[0] += 11
    source.may_end.clear()
    assert [await values.get("a", source.read, nullcontext) for _ in range(3)] == [1, 1, 1]
    clock[0] += 30
    waiting = asyncio.create_task(values.get("a", source.read, nullcontext))
    await asyncio.sleep(0)
    assert not waiting.done()
    source.may_end.set()
    assert await waiting == 2
    assert source.reads == 2


async def test_a_value_that_took_long_is_kept_long(clock: list[float]) -> None:
    source, values = Source(), Kept[str, int](timedelta(seconds=10))

    async def slow() -> int:
        clock[0] += 2
        return await source.read()

    source.may_end.set()
    assert await values.get("a", slow, nullcontext) == 1
    clock[0] += 39
    assert await values.get("a", slow, nullcontext) == 1
    assert source.reads == 1


async def test_an_error_is_for_those_who_wait_and_the_next_one_reads_again(clock: list[float]) -> None:
    source, values = Source(), Kept[str, int](timedelta(seconds=10))
    source.may_end.set()
    source.error = ValueError("it broke")
    with pytest.raises(ValueError, match="it broke"):
        await values.get("a", source.read, nullcontext)
    source.error = None
    assert await values.get("a", source.read, nullcontext) == 2
    clock[0] += 11
    source.error = ValueError("it broke")
    assert await values.get("a", source.read, nullcontext) == 2, (
        "the error of a read in the background is not raised"
    )
    await asyncio.sleep(0)


async def test_of_many_values_the_one_that_was_read_first_is_given_up(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST", 2)
    source, values = Source(), Kept[str, int](timedelta(seconds=10))
    source.may_end.set()
    read = [await values.get(key, source.read, nullcontext) for key in "abc"]
    assert read == [1, 2, 3]
    assert [await values.get(key, source.read, nullcontext) for key in "bc"] == [2, 3], "still kept"
    assert await values.get("a", source.read, nullcontext) == 4


async def test_a_value_that_is_not_worth_it_is_read_for_each_look(clock: list[float]) -> None:
    source = Source()
    values = Kept[str, int](timedelta(seconds=10), lambda value: value > 1)
    source.may_end.set()
    assert [await values.get("a", source.read, nullcontext) for _ in range(3)] == [1, 2, 2]


async def test_a_caller_without_a_connection_does_not_keep_the_others_from_reading(
    clock: list[float],
) -> None:
    source, values, asked = Source(), Kept[str, int](timedelta(seconds=10)), asyncio.Event()

    @asynccontextmanager
    async def used_up() -> AsyncIterator[None]:
        await asked.wait()
        if asked.is_set():
            raise RequestRefused(429, "too_many_at_once", "This access key has too many.", "send fewer")
        yield

    source.may_end.set()
    first = asyncio.create_task(values.get("a", source.read, used_up))
    await asyncio.sleep(0)
    second = asyncio.create_task(values.get("a", source.read, nullcontext))
    await asyncio.sleep(0)
    asked.set()
    with pytest.raises(RequestRefused):
        await first
    assert await second == 1
