"""Places that keys share: a key gets another one while it has fewer than are free."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from holdfast.api.limits.shares import Shares
from holdfast.api.request.problem import RequestRefused
from tests.patience import PATIENCE

AT_ONCE = timedelta(0)
LONG = timedelta(seconds=PATIENCE)


def shares(places: int, wait: timedelta) -> Shares:
    return Shares(places, wait, "too_many", "things")


async def take_all(found: Shares, held: AsyncExitStack, key: str) -> int:
    """How many places the key gets at once."""
    for count in range(100):
        try:
            await held.enter_async_context(found.place(key))
        except RequestRefused:
            return count
    return 100


async def until_waiting(*tasks: "asyncio.Task[None]") -> None:
    """They have run as far as they can."""
    for _ in range(10):
        await asyncio.sleep(0)
    assert not [task for task in tasks if task.done()]


@pytest.mark.parametrize(
    ("places", "expected"), [(1, [1, 0]), (2, [1, 1, 0]), (4, [2, 1, 1, 0]), (9, [5, 2, 1, 1, 0])]
)
async def test_each_key_gets_half_of_what_is_left(places: int, expected: list[int]) -> None:
    found = shares(places, AT_ONCE)
    async with AsyncExitStack() as held:
        assert [await take_all(found, held, f"key {i}") for i in range(len(expected))] == expected
    async with AsyncExitStack() as held:
        assert await take_all(found, held, "later") == expected[0], "all are free again"


async def test_a_key_that_has_places_gets_429_and_one_that_has_none_503() -> None:
    found = shares(1, AT_ONCE)
    async with found.place("one"):
        for key, status in (("one", 429), ("other", 503)):
            with pytest.raises(RequestRefused) as refused:
                await found.place(key).__aenter__()
            assert (refused.value.status, refused.value.code) == (status, "too_many")


async def test_those_that_wait_go_in_order_and_a_key_with_fewer_places_first() -> None:
    found, began = shares(2, LONG), []
    release = {name: asyncio.Event() for name in ("a1", "a2", "a3", "b1", "c1")}

    async def use(name: str) -> None:
        async with found.place(name[0]):
            began.append(name)
            await release[name].wait()

    tasks = {name: asyncio.create_task(use(name)) for name in ("a1", "b1", "a2", "a3", "c1")}
    await until_waiting(*tasks.values())
    assert began == ["a1", "b1"]
    release["b1"].set()
    await tasks["b1"]
    await until_waiting(tasks["c1"])
    assert began == ["a1", "b1", "c1"], "c has none, a has one"
    for last, following in (("a1", "a2"), ("c1", None), ("a2", "a3")):
        release[last].set()
        await tasks[last]
        await asyncio.sleep(0)
        assert following is None or began[-1] == following
    release["a3"].set()
    await tasks["a3"]


@pytest.mark.parametrize("is_given", [False, True])
async def test_a_place_is_not_lost_with_one_that_stopped_waiting(is_given: bool) -> None:
    """Also if the place was given to it in the same moment, before it could run."""
    found = shares(1, LONG)
    async with found.place("key"):
        waiting = asyncio.create_task(found.place("key").__aenter__())
        await until_waiting(waiting)
        if not is_given:
            waiting.cancel()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(PATIENCE), found.place("key"):
        other = asyncio.create_task(found.place("other").__aenter__())
        await until_waiting(other)
        other.cancel()
