"""Kept values: read once for all who ask, and again in the background before they are too old."""

import asyncio
from datetime import timedelta

import pytest

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
    asked = [asyncio.create_task(values.get("a", source.read)) for _ in range(50)]
    await asyncio.sleep(0)
    asked[0].cancel()
    source.may_end.set()
    assert await asyncio.gather(*asked[1:]) == [1] * 49, "also if the first one has left"
    assert await values.get("a", source.read) == 1
    assert await values.get("b", source.read) == 2


async def test_an_old_value_is_given_while_it_is_read_again_and_a_very_old_one_is_not(
    clock: list[float],
) -> None:
    source, values = Source(), Kept[str, int](timedelta(seconds=10))
    source.may_end.set()
    assert await values.get("a", source.read) == 1
    clock[0] += 11
    source.may_end.clear()
    assert [await values.get("a", source.read) for _ in range(3)] == [1, 1, 1]
    clock[0] += 30
    waiting = asyncio.create_task(values.get("a", source.read))
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
    assert await values.get("a", slow) == 1
    clock[0] += 39
    assert await values.get("a", slow) == 1
    assert source.reads == 1


async def test_an_error_is_for_those_who_wait_and_the_next_one_reads_again(clock: list[float]) -> None:
    source, values = Source(), Kept[str, int](timedelta(seconds=10))
    source.may_end.set()
    source.error = ValueError("it broke")
    with pytest.raises(ValueError, match="it broke"):
        await values.get("a", source.read)
    source.error = None
    assert await values.get("a", source.read) == 2
    clock[0] += 11
    source.error = ValueError("it broke")
    assert await values.get("a", source.read) == 2, "the error of a read in the background is not raised"
    await asyncio.sleep(0)
