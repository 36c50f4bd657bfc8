"""One read for all who watch the same thing: how often it reads, what watchers get, what an error does."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from datetime import timedelta

import pytest

from holdfast.api.live.shared_reader import Failed, SharedReader, until_rung
from tests.patience import PATIENCE

SHORT = timedelta(milliseconds=5)
LONG = timedelta(hours=1)


class Source:
    """What is read: counts reads, and fails on demand."""

    def __init__(self) -> None:
        self.values: Counter[str] = Counter()
        self.rounds: list[list[str]] = []
        self.error: Exception | None = None

    async def read(self, keys: Sequence[str]) -> AsyncIterator[tuple[str, int]]:
        self.rounds.append(sorted(keys))
        if self.error is not None:
            raise self.error
        for key in keys:
            yield key, self.values[key]

    async def more_rounds(self, count: int) -> None:
        wanted = len(self.rounds) + count
        async with asyncio.timeout(PATIENCE):
            while len(self.rounds) < wanted:
                await asyncio.sleep(0.001)


async def test_all_who_watch_the_same_share_one_read() -> None:
    source = Source()
    reader = SharedReader(source.read, LONG)
    with ExitStack() as held:
        watches = [held.enter_context(reader.watch(key)) for key in "aaab" for _ in range(10)]
        assert await asyncio.gather(*(watch.first() for watch in watches)) == [0] * 40
        assert source.rounds == [["a", "b"]]
        assert reader.watched == 2


async def test_who_asks_again_soon_causes_no_read_and_what_is_new_is_read_at_once() -> None:
    source = Source()
    reader = SharedReader(source.read, LONG)
    for key in ("a", "a", "b", "a"):
        with reader.watch(key) as watch:
            await watch.first()
    assert source.rounds == [["a"], ["b"]]
    assert reader.watched == 0


async def test_nothing_is_read_when_nobody_watches() -> None:
    source = Source()
    reader = SharedReader(source.read, SHORT)
    with reader.watch("a") as watch:
        await watch.first()
        await source.more_rounds(2)
    (work,) = [task for task in asyncio.all_tasks() if task.get_name() == "holdfast-shared-reader"]
    async with asyncio.timeout(PATIENCE):
        await work
    read = len(source.rounds)
    with reader.watch("a") as watch:
        await watch.first()
    assert len(source.rounds) >= read + 1


async def test_a_slow_watcher_gets_the_newest_value_and_an_unchanged_one_is_no_news() -> None:
    source = Source()
    reader = SharedReader(source.read, SHORT)
    bell = asyncio.Event()
    with reader.watch("a", bell) as watch:
        assert (await watch.first(), watch.news(), watch.number) == (0, 0, 1)
        bell.clear()
        await source.more_rounds(3)
        assert (watch.news(), bell.is_set()) == (None, False)
        for value in (1, 2, 3):
            source.values["a"] = value
            await source.more_rounds(2)
        await until_rung(bell, PATIENCE)
        assert (watch.news(), watch.number, watch.value) == (3, 4, 3)


async def test_an_error_reaches_who_has_nothing_yet_and_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    source = Source()
    reader = SharedReader(source.read, SHORT)
    with reader.watch("a") as old:
        await old.first()
        source.error = RuntimeError("away")
        with reader.watch("b") as new, pytest.raises(RuntimeError):
            await new.first()
        await source.more_rounds(3)
        source.error, source.values["a"] = None, 7
        await source.more_rounds(2)
        assert old.value == 7
    assert [vars(one)["event"] for one in caplog.records] == ["api.read_failed"], "once, not in each round"


async def test_a_value_that_cannot_be_read_is_an_error_for_its_own_watchers_only() -> None:
    async def read(keys: Sequence[str]) -> AsyncIterator[tuple[str, int | Failed]]:
        for key in sorted(keys):
            yield key, Failed(RuntimeError("away")) if key == "a" else 1

    reader = SharedReader(read, LONG)
    with reader.watch("a") as broken, reader.watch("b") as well:
        with pytest.raises(RuntimeError, match="away"):
            await broken.first()
        assert await well.first() == 1
