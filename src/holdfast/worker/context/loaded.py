"""A value that is read from the database at first use."""

from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, NoReturn, TypeVar

T = TypeVar("T")


class Loaded(Generic[T]):
    """`await` it for the value; it is read only once."""

    __slots__ = ("_load", "_name", "_value")

    def __init__(self, name: str, load: Callable[[], Awaitable[T]]) -> None:
        self._name = name
        self._load = load

    def __await__(self) -> Generator[Any, None, T]:
        return self._get().__await__()

    async def _get(self) -> T:
        if not hasattr(self, "_value"):
            self._value = await self._load()
        return self._value

    def __getitem__(self, key: object) -> NoReturn:
        raise TypeError(f"ctx.{self._name} must be awaited: write (await ctx.{self._name})[{key!r}]")

    def __iter__(self) -> NoReturn:
        raise TypeError(f"ctx.{self._name} must be awaited: write await ctx.{self._name}")
